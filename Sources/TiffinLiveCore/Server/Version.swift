import CBuild

/// What this program is, for `tiffin-live version` and the metric `build_info`.
package enum Version {
    package static let text = "0.1.0"
    /// The commit that was built; `unknown` unless the build was told, as `scripts/package` does.
    package static let commit = String(cString: tiffin_build_commit())
    /// How it was built, such as `release, static-stdlib`.
    package static let build = String(cString: tiffin_build_flags())
}
