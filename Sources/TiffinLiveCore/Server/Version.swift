/// The version of the server, in `tiffin-live version` and the metric `build_info`.
package enum Version {
    package static let text = "0.1.0"
}
