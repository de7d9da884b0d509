// swift-tools-version: 6.2
import PackageDescription

/// Rules that hold for every Swift target of the package.
let common: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Exclusivity is proven by the debug tests; the run-time checks cost 2 to 10 times on field access.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// What the build is told of itself, for `tiffin-live version`: TIFFIN_COMMIT and TIFFIN_BUILD. Both may be absent.
func told(_ names: String...) -> [CSetting] {
    names.compactMap { name in Context.environment[name].map { .define(name, to: "\"\($0)\"") } }
}

let package = Package(
    name: "tiffin-live",
    products: [
        .executable(name: "tiffin-live", targets: ["TiffinLive"])
    ],
    targets: [
        .target(name: "CBuild", cSettings: told("TIFFIN_COMMIT", "TIFFIN_BUILD")),
        .target(name: "CEpoll"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "TiffinLiveCore", dependencies: ["CBuild", "CEpoll", "COpenSSL"], swiftSettings: common),
        .executableTarget(
            name: "TiffinLive",
            dependencies: ["TiffinLiveCore"],
            // The demo's page goes into the binary.
            resources: [.embedInCode("Demo/Page")],
            swiftSettings: common),
        .testTarget(
            name: "TiffinLiveCoreTests",
            dependencies: ["TiffinLiveCore"],
            // Data files, which the tests read where they stand.
            exclude: ["Vectors/wycheproof", "Vectors/jose-cookbook", "Vectors/rfc", "Vectors/README.md"],
            swiftSettings: common),
        .testTarget(
            name: "TiffinLiveTests",
            dependencies: ["TiffinLive", "TiffinLiveCore"],
            swiftSettings: common),
    ],
    swiftLanguageModes: [.v6]
)
