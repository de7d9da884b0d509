// swift-tools-version: 6.2
import PackageDescription

// Built by scripts/fuzz, which names the toolchain's libFuzzer archive (the one without a main). The sources of the
// library are the same files, through links; they are compiled here once more because coverage has to be counted in
// every module: small functions are inlined across modules and would be lost.

let instrumented: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

let package = Package(
    name: "tiffin-live-fuzz",
    targets: [
        .target(name: "CBuild"),
        .target(name: "CEpoll"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLibFuzzer"),
        .target(name: "TiffinLiveCore", dependencies: ["CBuild", "CEpoll", "COpenSSL"], swiftSettings: instrumented),
        .executableTarget(
            name: "TiffinLiveFuzz",
            dependencies: ["TiffinLiveCore", "CLibFuzzer"],
            swiftSettings: instrumented,
            linkerSettings: [
                .unsafeFlags([Context.environment["TIFFIN_LIBFUZZER"] ?? "-lFuzzer"]),
                .linkedLibrary("stdc++"),
                .linkedLibrary("m"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
