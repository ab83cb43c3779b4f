import Testing

/// Nothing stands in the tree that nothing uses.
@Suite struct UnusedNamesTests {
    /// Names that somebody else calls, with the reason.
    private static let known: [(reason: String, names: [String])] = [
        (
            "swift-nio calls them",
            [
                "InboundIn", "InboundOut", "OutboundIn", "OutboundOut", "channelActive", "channelRead",
                "channelReadComplete", "channelWritabilityChanged", "errorCaught", "handlerAdded", "handlerRemoved",
                "userInboundEventTriggered",
            ]
        ),
        (
            "swift-nio calls them of a loop and a channel of our own",
            [
                "_channelCore", "_promiseCompleted", "_promiseCreated", "bind0", "channelRead0", "connect0",
                "errorCaught0", "flush0", "getOption", "inEventLoop", "localAddress0", "register0",
                "registerAlreadyConfigured0", "remoteAddress0", "triggerUserOutboundEvent0", "write0",
            ]
        ),
        ("Swift's runtime asks for them", ["mainExecutor", "defaultExecutor"]),
        ("the fleet's simulation has a ledger work on its thread", ["callers"]),
        ("Hummingbird calls it", ["isAcceptingNewConnections"]),
        ("the standard library and Foundation call them", ["customMirror", "urlSession"]),
        ("Swift Testing calls them", ["isRecursive", "provideScope"]),
        ("Apple's systems call them", ["makeCoordinator", "makeUIView", "updateUIView"]),
        (
            "found by their raw values: a word of the phone, and the system's text sizes",
            ["decline", "medium", "xLarge", "xxLarge", "accessibility2", "accessibility4"]
        ),
        ("tests look at the kit", ["stacked", "xSmall", "xxxLarge", "accessibility5"]),
        ("the simulation looks at a loop, and has a row given up as SQL does it", ["takenIndexes", "givingUp"]),
        ("tests control the simulator", ["setDevice", "expectedBehaviours", "selfSigned"]),
    ]
    private static let knownNames = Set(known.flatMap(\.names))

    /// Folders and files with names of others.
    private static let foreign = [
        // Apple's own declarations, of which the compiler may ask any.
        "Tests/FanfareKitTests/AppleStubs/",
        // The guide's code, which must compile.
        "Tests/FanfareKitTests/IntegrationGuideTests.swift",
    ]

    /// Folders whose files are read as a whole.
    private static let readWhole = ["Deploy/check/", "Deploy/examples/jobs/", "Tests/Fuzz/Corpus/"]

    @Test func `nothing is declared that nothing uses`() throws {
        let found = try UnusedNames.declarations(in: SourceTree.repository.get().files, except: Self.knownNames)
            .filter { violation in !Self.foreign.contains { violation.path.hasPrefix($0) } }
        #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n"))")
    }

    @Test func `every exception is still one`() throws {
        let found = try UnusedNames.declarations(in: SourceTree.repository.get().files, except: [])
        let stale = Self.knownNames.filter { name in
            !found.contains { $0.what.split(separator: " ").contains { $0 == name } }
        }
        #expect(stale.isEmpty, "\(stale)")
    }

    @Test func `every file is mentioned in another`() throws {
        let found = try UnusedNames.files(
            SourceTree.repository.get().allTexts(),
            in: SourceTree.repository.get().paths,
            except: Self.readWhole
        )
        #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n"))")
    }

    /// Returns what is found in planted files, as line and name.
    private func found(_ files: (path: String, text: String)..., except: Set<String> = []) -> [String] {
        UnusedNames.declarations(in: files.map { SourceFile(path: $0.path, text: $0.text) }, except: except)
            .map { "\($0.line) \($0.what)" }
    }

    @Test(arguments: [
        "func unused() {}", "public static func unused<T>(_ value: T) {}", "struct unused: Sendable {}",
        "private(set) var unused = 1", "@usableFromInline let unused: Int", "typealias unused = Int",
        "enum E { case unused }", "case used, unused", "case used(Int, Int), unused", "indirect case unused",
        "@available(macOS 12, *)\nfunc unused() {}", "func unused() {}\nextension unused {}",
        "func unused() {}\n// unused()\nlet used = \"unused\"",
    ])
    func `a declaration that nothing uses is found`(text: String) {
        let use = (path: "Sources/Store/B.swift", text: "print(used, E.self)")
        #expect(found(("Sources/Store/A.swift", text), use).map { $0.drop { $0 != " " } } == [" nothing uses unused"])
        #expect(found(("Tests/StoreTests/A.swift", text), use).count == 1)
        #expect(found(("Sources/Store/A.swift", text), use, except: ["unused"]).isEmpty)
        #expect(found(("Sources/Store/A.swift", text), use, ("Sources/Fleet/A.swift", "let a = b.unused + a")).isEmpty)
    }

    @Test(arguments: [
        "override func unused() {}", "@Test func unused() {}", "@Suite(.serialized)\nfinal class unused {}",
        "switch a {\ncase UNUSED, OTHER: 1\n}", "switch a {\ncase 407: 1\n}", "extension Unused {}",
        "func `one name`() {}", "static func < (a: Int, b: Int) -> Bool { a }",
    ])
    func `what is found in another way is fine`(text: String) {
        #expect(found(("Tests/StoreTests/A.swift", text)).isEmpty)
    }

    @Test func `what is private is used in its file`() {
        let a = (path: "Sources/Store/A.swift", text: "private func mine() {}\n")
        let b = (path: "Sources/Store/B.swift", text: "x.mine()\n")
        #expect(found(a, b) == ["1 nothing in the file uses mine, which is private"])
        #expect(found((a.path, a.text + b.text)).isEmpty)
    }

    @Test func `what only tests use is found in the program, and not in the kit that apps use`() {
        let text = "public func go() {}"
        let test = (path: "Tests/StoreTests/A.swift", text: "x.go()")
        #expect(found(("Sources/Store/A.swift", text), test) == ["1 only tests use go"])
        #expect(found(("Sources/FanfareKit/A.swift", text)).isEmpty)
        #expect(found(("Tests/Servers/A.swift", text), test).isEmpty)
    }

    @Test func `a file that no other mentions is found`() {
        let paths = ["Deploy/a.sh", "Deploy/b.sh", "Deploy/c.json", "Deploy/jobs/d.json", "Deploy/folder"]
        let texts = [
            ("Deploy/a.sh", "exec Deploy/b.sh."), ("Deploy/b.sh", "b.sh runs; see xa.sh and a.sh.old"),
            ("Sources/Store/A.swift", "example(\"c\")"),
        ].map { (path: $0, text: Array($1.utf8)) }
        #expect(UnusedNames.files(texts, in: paths, except: ["Deploy/jobs/"]).map(\.path) == ["Deploy/a.sh"])
    }
}
