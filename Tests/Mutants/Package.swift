// swift-tools-version: 6.2
import PackageDescription

// Only the pure targets and the simulation, in which `Deploy/simulate.sh --mutants` plants mistakes, so that each costs
// a build of seconds. Their sources are copied beside this file.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
    name: "mutants",
    dependencies: [.package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0")],
    targets: [
        .target(
            name: "Campaigns",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["Shards/Proto/shard.proto"],
            swiftSettings: settings
        ),
        .target(name: "PushProviders", dependencies: ["Campaigns"], swiftSettings: settings),
        .target(name: "Delivery", dependencies: ["Campaigns", "PushProviders"], swiftSettings: settings),
        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: settings),
        .target(name: "Sanitizers", path: "Tests/Sanitizers", swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Campaigns", "PushProviders", "Delivery", "Seeds", "Sanitizers"],
            swiftSettings: settings
        ),
    ]
)
