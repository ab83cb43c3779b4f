// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target, tests included: strict Swift 6, and warnings are errors.
let houseSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
    // Debug builds, and so all tests, check exclusive access at run time. In a release build that would cost 6 % of a
    // push.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioConcurrency = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
/// The HTTP/1.1 server of Hummingbird, without its router and its application.
let hummingbird = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let services = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// `isMemorySafe` makes every unmarked use of unsafe memory an error; a target without it says why.
func library(_ name: String, _ dependencies: [Target.Dependency], isMemorySafe: Bool = false) -> Target {
    let settings = houseSettings + (isMemorySafe ? [.strictMemorySafety()] : [])
    return .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// `kept` names folders of files that tests read from the source tree: bytes written by earlier versions.
func tests(_ name: String, _ dependencies: [Target.Dependency], kept: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: kept, swiftSettings: houseSettings)
}

// Ordered by tier (section 3 of the design): a target imports only targets above it.
let package = Package(
    name: "fanfare",
    // These platforms are for FanfareKit; everything else is for Linux.
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .executable(name: "fanfare", targets: ["fanfare"]),
        // The library that an app links; it needs only Foundation.
        .library(name: "FanfareKit", targets: ["FanfareKit"]),
        // The drivers from one seed (Deploy/fleet-simulate.sh).
        .executable(name: "fleet-simulate", targets: ["FleetSimulator"]),
        // For the fuzzer, which is a separate package (Tests/Fuzz).
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "The ledger may be a PostgreSQL database; needs libpq."),
        .default(enabledTraits: ["PostgreSQL"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Without its traits: Fanfare reads its configuration itself.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Hummingbird depends on both: they hold the HTTP types that its channels speak.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        // C
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"])]),
        .target(name: "CShims", dependencies: ["CNGHTTP2", "COpenSSL", "CRabbitMQ"]),
        // The commit for `fanfare --version`: that of the checkout, or BUILD_COMMIT where there is none, as in the
        // image.
        .target(
            name: "CBuild",
            cxxSettings: Context.environment["BUILD_COMMIT"].map { [.define("BUILD_COMMIT", to: "\"\($0)\"")] } ?? []
        ),

        // Pure: no I/O, clock, randomness, logging or threads
        // Not strictly memory safe: 295 marks, in parsers and codecs over lent bytes.
        .target(
            name: "Campaigns",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["Shards/Proto/shard.proto"],
            swiftSettings: houseSettings
        ),
        // Not strictly memory safe: 38 marks, where requests are written into lent memory.
        library("PushProviders", ["Campaigns"]),
        library("Delivery", ["Campaigns", "PushProviders"], isMemorySafe: true),

        // Wrappers: one C library each, bytes in and bytes out, without sockets
        // Not strictly memory safe: 377 marks, one for each pointer that OpenSSL is given.
        library("TLS", ["COpenSSL", "CShims"]),
        // Not strictly memory safe: 541 marks, because the client's hot path is pointers.
        library("HTTP2", ["CNGHTTP2", "CShims"]),
        // Not strictly memory safe: 273 marks, in structures of librabbitmq that are filled and read.
        library("AMQP", ["CRabbitMQ", "CShims"]),

        // Drivers: they own sockets, loops and files, and execute the state machines' decisions
        // Not strictly memory safe: 70 marks, where bytes of a channel are lent to TLS, HTTP/2 and AMQP.
        library(
            "Transport",
            ["CShims", "Delivery", "TLS", "HTTP2", "AMQP", nioCore, nioPosix, nioHTTP1, nioConcurrency, logging]
        ),
        // Not strictly memory safe: about 160 marks, where rows and blobs are read as SQLite and libpq keep them.
        .target(
            name: "Store",
            dependencies: [
                "Campaigns", "PushProviders", "Delivery", logging, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            resources: [.embedInCode("Schema/sqlite.sql"), .embedInCode("Schema/postgresql.sql")],
            swiftSettings: houseSettings
        ),

        // Wiring. Not strictly memory safe: about 230 marks, of them 138 in Operations, where bodies of requests are
        // written into lent memory; the others are calls of the system.
        library(
            "Settings",
            [
                "Campaigns", "PushProviders", "Delivery", "TLS", "HTTP2", "Transport", "Store", nioCore, nioPosix,
                logging, .product(name: "Yams", package: "Yams"),
            ]
        ),
        library(
            "Operations",
            [
                "Campaigns", "PushProviders", "Delivery", "TLS", "HTTP2", "AMQP", "Transport", "Store", "Settings",
                nioCore, nioPosix, logging,
            ]
        ),
        library(
            "Fleet",
            [
                "Campaigns", "PushProviders", "Delivery", "TLS", "HTTP2", "AMQP", "Transport", "Store", "Settings",
                "Operations", nioCore, nioPosix, nioHTTP1, logging,
            ]
        ),
        // Not strictly memory safe: 92 marks, in frames written by hand.
        library("Simulator", ["TLS", "HTTP2", nioCore, nioPosix, nioHTTP1, logging]),
        library(
            "WebServing",
            [
                "Campaigns", "Delivery", "TLS", "Transport", "Store", "Settings", "Operations", nioCore, nioPosix,
                nioHTTP1,
                logging, hummingbird, nioHTTPTypes, httpTypes, services, signals,
            ]
        ),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Campaigns", "PushProviders", "Delivery", "TLS", "Transport", "Store", "Settings", "Operations",
                "WebServing", nioCore, nioPosix, logging, hummingbird, httpTypes, services,
            ],
            resources: [.embedInCode("Dashboard/Files")],
            swiftSettings: houseSettings
        ),
        .target(
            name: "DeviceEdge",
            dependencies: [
                "Campaigns", "PushProviders", "Delivery", "TLS", "HTTP2", "AMQP", "Transport", "Store", "Settings",
                "Operations", "WebServing", nioCore, nioPosix, logging, hummingbird, nioHTTPTypes, httpTypes,
            ],
            resources: [.embedInCode("Web/Files")],
            swiftSettings: houseSettings
        ),

        // The scenarios of `fanfare bench`
        .target(
            name: "Bench",
            dependencies: [
                "Campaigns", "PushProviders", "Delivery", "TLS", "HTTP2", "Transport", "Store", "Settings",
                "Operations", nioCore, nioPosix, logging,
            ],
            // Built and preloaded by the scenario `allocations`; not part of the program.
            resources: [.embedInCode("malloc-count.c")],
            swiftSettings: houseSettings
        ),

        // The phone. Not strictly memory safe: what only Apple's compilers see cannot be marked here.
        .target(name: "FanfareKit", resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: houseSettings),

        // The command line
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "Campaigns", "PushProviders", "Delivery", "TLS", "AMQP", "Transport", "Store", "Settings",
                "Operations", "Fleet", "Simulator", "WebServing", "HTTPServer", "DeviceEdge", "Bench", "FanfareKit",
                "CBuild",
                nioCore, nioPosix, nioHTTP1, logging, signals,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [.embedInCode("Demo/Web/Files")],
            swiftSettings: houseSettings
        ),

        // Tests. `Servers` starts private brokers, `Seeds` gives reproducible randomness, `Sanitizers` tells tests to
        // do less under a sanitizer
        .target(
            name: "Servers",
            dependencies: ["HTTP2", nioCore, nioPosix],
            path: "Tests/Servers",
            swiftSettings: houseSettings
        ),
        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: houseSettings),
        .target(name: "Sanitizers", path: "Tests/Sanitizers", swiftSettings: houseSettings),
        // The API and the edge in a test's own process.
        .target(
            name: "PrivateServers",
            dependencies: [
                "WebServing", "HTTPServer", "DeviceEdge", "Campaigns", "Delivery", "Store", "Fleet", "Servers", logging,
            ],
            path: "Tests/PrivateServers",
            swiftSettings: houseSettings
        ),
        // Counts the allocations of a test's thread.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        // The clocks and the chance of a process that is simulated; linked by nothing else, because it replaces the
        // system's.
        .target(name: "CSimulatedProcess", dependencies: ["COpenSSL"], path: "Tests/CSimulatedProcess"),
        // SQLite's files in memory.
        .target(
            name: "CSimulatedDisk",
            dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Tests/CSimulatedDisk"
        ),
        // Drivers on a seeded scheduler, with a network and far sides in memory. Run as a process of its own.
        .executableTarget(
            name: "FleetSimulator",
            dependencies: [
                "CSimulatedProcess", "CSimulatedDisk", "Seeds", "Campaigns", "Delivery", "TLS", "HTTP2", "AMQP",
                "Transport", "Store", "Settings", "Operations", "Fleet", nioCore, logging,
            ],
            path: "Tests/FleetSimulator",
            swiftSettings: houseSettings
        ),
        .target(
            name: "FuzzTargets",
            dependencies: ["Campaigns", "PushProviders", "AMQP", "Delivery", "HTTP2"],
            path: "Tests/FuzzTargets",
            swiftSettings: houseSettings
        ),
        tests("AMQPTests", ["AMQP", "Seeds"]),
        tests(
            "CampaignsTests",
            ["Campaigns", "PushProviders", "Seeds", "Sanitizers", "Servers"],
            kept: ["Shards/Kept"]
        ),
        tests(
            "CommandTests",
            [
                "fanfare", "Bench", "FanfareKit", "Settings", "Operations", "Campaigns", "Delivery", "Store", "Servers",
                nioCore, nioPosix,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        tests("DeliveryPoolTests", ["Delivery"]),
        tests("DeliveryPublishingTests", ["Campaigns", "Delivery", "Seeds"]),
        tests("DeliveryTests", ["Campaigns", "Delivery", "PushProviders", "Seeds", "Sanitizers"]),
        tests(
            "DeviceEdgeTests",
            [
                "WebServing", "DeviceEdge", "PrivateServers", "fanfare", "HTTP2", "Campaigns", "Delivery",
                "PushProviders", "Store", "Settings", "Operations", "Fleet", "TLS", "Seeds", "Servers", nioCore,
                nioPosix, logging, httpTypes,
            ]
        ),
        tests(
            "EndToEndTests",
            [
                "fanfare", "FanfareKit", "Campaigns", "Delivery", "Store", "Settings", "Operations", "Simulator",
                "Servers", "Seeds",
                "AMQP", "Transport", "TLS", nioCore, nioPosix, nioHTTP1, logging,
            ]
        ),
        tests(
            "FanfareKitTests",
            ["FanfareKit", "Campaigns", "PushProviders", "Delivery", "Settings", "Seeds"],
            kept: ["AppleStubs"]
        ),
        tests(
            "FleetConfigurationTests",
            [
                "Settings", "Operations", "Fleet", "Campaigns", "Delivery", "PushProviders", "Store", "TLS", "AMQP",
                "HTTP2", "Transport", "Servers", nioCore, nioPosix, logging,
            ]
        ),
        tests("FleetSimulationTests", ["Servers"]),
        tests("FuzzTests", ["FuzzTargets", "Seeds"]),
        tests("HTTP2Tests", ["HTTP2", "Sanitizers"]),
        tests(
            "HTTPServerTests",
            [
                "WebServing", "HTTPServer", "DeviceEdge", "PrivateServers", "fanfare", "Campaigns", "PushProviders",
                "Delivery", "Transport", "Store", "Settings", "Operations", "Fleet", "TLS", "Servers", nioPosix,
                httpTypes,
            ]
        ),
        tests("PushProvidersTests", ["PushProviders", "Campaigns", "Simulator", "CAllocations"]),
        tests("SimulationTests", ["Campaigns", "PushProviders", "Delivery", "Seeds", "Sanitizers"]),
        tests("SimulatorTests", ["Simulator", "TLS", "HTTP2", nioCore, nioPosix, nioHTTP1, logging]),
        tests(
            "StoreTests",
            [
                "Campaigns", "Delivery", "PushProviders", "Store", "Servers", "Seeds",
                .product(name: "GRDB", package: "GRDB.swift"), logging,
            ],
            kept: ["Kept"]
        ),
        tests("TLSTests", ["PushProviders", "TLS", "Servers"]),
        tests("TidyTests", []),
        tests(
            "TransportAMQPTests",
            [
                "Campaigns", "PushProviders", "Delivery", "AMQP", "TLS", "Transport", "Operations", "Servers",
                nioCore, nioPosix,
            ]
        ),
        tests(
            "TransportHTTP2Tests",
            [
                "Delivery", "HTTP2", "TLS", "Transport", "Simulator", "Sanitizers", "Servers", nioCore, nioPosix,
                logging, nioConcurrency,
            ]
        ),
        tests("WebServingTests", ["WebServing", "Servers"]),
    ]
)
