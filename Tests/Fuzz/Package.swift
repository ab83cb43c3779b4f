// swift-tools-version: 6.2
import PackageDescription

// The fuzzer is a separate package, so that the main one is not built for it. `Deploy/fuzz.sh` builds and runs it.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "fanfare", path: "../..")],
    targets: [
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "FanfareFuzz",
            dependencies: ["CFuzzer", .product(name: "FuzzTargets", package: "fanfare")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
