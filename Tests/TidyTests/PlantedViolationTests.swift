import Testing

/// Each rule gets a file that breaks it, and a similar one that does not.
@Suite struct PlantedViolationTests {
    private func lines(_ rule: Rule, _ path: String, _ text: String) -> [Int] {
        rule.check(SourceFile(path: path, text: text)).map(\.line)
    }

    @Test(arguments: [
        ("Sources/Campaigns/A.swift", "import Foundation"),
        ("Sources/Campaigns/A.swift", "import FoundationEssentials"),
        ("Sources/Delivery/A.swift", "public import Synchronization"),
        ("Sources/Delivery/A.swift", "import Glibc"),
        ("Sources/Delivery/A.swift", "import struct Dispatch.DispatchTime"),
        ("Sources/PushProviders/A.swift", "import Delivery"),
        ("Sources/Campaigns/A.swift", "import TLS"),
        ("Sources/TLS/A.swift", "import NIOCore"),
        ("Sources/HTTP2/A.swift", "import COpenSSL"),
        ("Sources/Transport/A.swift", "internal import Fleet"),
        ("Sources/Transport/A.swift", "import CRabbitMQ"),
        ("Sources/Simulator/A.swift", "import Campaigns"),
        ("Sources/Simulator/A.swift", "@preconcurrency import PushProviders"),
        ("Sources/Simulator/A.swift", "import Delivery"),
        ("Sources/Fleet/A.swift", "import fanfare"),
        ("Sources/Settings/A.swift", "import Operations"),
        ("Sources/HTTPServer/Routes/A.swift", "import Fleet"),
        ("Sources/fanfare/Commands/StatusCommand.swift", "import Fleet"),
        ("Sources/Novelty/A.swift", "import Campaigns"),
    ])
    func `an import from below is found`(path: String, text: String) {
        #expect(lines(.imports, path, "\n" + text + "\n") == [2])
    }

    @Test(arguments: [
        ("public func go() {}", 2), ("@discardableResult public func go() {}", 2),
        ("public init?(_ text: String) {}", 2),
        ("open func go() {}", 2), ("public static func go() {}", 2), ("public protocol Goer {}", 2),
        ("public override func go() {}", 0), ("func open() {}", 0), ("if let it = open(func) {}", 0),
        ("public let size: Int", 0), ("public struct Size {}", 0), ("public init(rawValue: Int) {}", 0),
    ])
    func `a call of the kit without an example is found, and any symbol without a summary`(line: String, found: Int) {
        let path = "Sources/FanfareKit/A.swift"
        #expect(lines(.kitExamples, path, "/// Says what.\n\(line)\n") == (found == 0 ? [] : [found]))
        #expect(lines(.kitExamples, path, "/// Says what.\n///\n///     go()\n@objc\n\(line)\n").isEmpty)
        #expect(lines(.kitExamples, "Sources/Fleet/A.swift", line).isEmpty)
    }

    @Test func `a property of the kit without a word is found`() {
        #expect(lines(.kitExamples, "Sources/FanfareKit/A.swift", "\npublic let size: Int\n") == [2])
    }

    @Test(arguments: [
        ("Sources/Campaigns/Shards/A.swift", "import FoundationEssentials\nimport SwiftProtobuf"),
        ("Sources/Campaigns/Shards/A.pb.swift", "import Foundation"),
        ("Sources/Delivery/A.swift", "public import Campaigns\nimport PushProviders"),
        ("Sources/Delivery/A.swift", "// import Foundation\nlet text = \"import Glibc\""),
        ("Sources/TLS/A.swift", "import COpenSSL\nimport CShims"),
        ("Sources/fanfare/Commands/WorkerCommand.swift", "import Foundation\nimport Fleet"),
        ("Sources/Simulator/A.swift", "import HTTP2\nimport NIOCore"),
    ])
    func `an import from above is fine`(path: String, text: String) {
        #expect(lines(.imports, path, text).isEmpty)
    }

    @Test(arguments: [
        "let now = ContinuousClock.now", "let now = Date()", "x = Int.random(in: 0..<2)", "list.shuffle()",
        "var source = SystemRandomNumberGenerator()", "clock_gettime(CLOCK_REALTIME, &spec)", "Task { run() }",
        "try await Task.sleep(for: pause)", "print(\"hello\")", "key.hashValue", "let lock = Mutex(0)",
    ])
    func `a read of clock, chance or world in a pure target is found`(call: String) {
        let text = "func f() {\n    \(call)\n}\n"
        #expect(lines(.purity, "Sources/Delivery/A.swift", text).contains(2))
        #expect(lines(.purity, "Sources/Transport/A.swift", text).isEmpty)
    }

    @Test func `chance that is handed in, comments and messages are fine`() {
        let text = """
            // ContinuousClock.now is the driver's
            let pick = Int.random(in: 0..<3, using: &generator)
            let detail = "Date() is not read here \\(validate())"
            let expiryDate = makeDate(1)
            """
        #expect(lines(.purity, "Sources/Delivery/A.swift", text).isEmpty)
    }

    @Test func `code inside an interpolation is still code`() {
        let text = "let text = \"at \\(Date()) sharp\"\n"
        #expect(lines(.purity, "Sources/Delivery/A.swift", text) == [1])
    }

    @Test func `a file of 501 lines is too long and one of 500 is not`() {
        let line = "let a = 1\n"
        #expect(lines(.fileSize, "Sources/Store/A.swift", String(repeating: line, count: 501)) == [501])
        #expect(lines(.fileSize, "Sources/Store/A.swift", String(repeating: line, count: 500)).isEmpty)
        #expect(lines(.fileSize, "Sources/Campaigns/A.pb.swift", String(repeating: line, count: 501)).isEmpty)
    }

    @Test(arguments: [
        "func f(a: () -> Void = {})", "init(a: Int)", "deinit", "var a: Int", "func g<T>() -> [T] where T: A",
    ])
    func `a function of 71 lines is too long and one of 70 is not`(head: String) {
        func type(bodyLines: Int) -> String {
            "struct S {\n    \(head) {\n" + String(repeating: "        if x { y() }\n", count: bodyLines) + "    }\n}\n"
        }
        #expect(lines(.functionSize, "Sources/Store/A.swift", type(bodyLines: 69)) == [2])
        #expect(lines(.functionSize, "Sources/Store/A.swift", type(bodyLines: 68)).isEmpty)
    }

    @Test func `long types, requirements and stored values are not functions`() {
        let members = String(repeating: "    var a = [1]\n    func f()\n    var b: Int { get }\n", count: 40)
        let requirements = "protocol P {\n\(members)}\n"
        let stored = "struct S {\n    var a: Int\n" + String(repeating: "    let b = 1\n", count: 90) + "}\n"
        let table = "let table = [\n" + String(repeating: "    S(a: 1, b: { 2 }),\n", count: 90) + "]\n"
        #expect(lines(.functionSize, "Sources/Store/A.swift", requirements + stored + table).isEmpty)
    }

    @Test func `names of functions are reported`() {
        let functions = FunctionFinder.functions(in: Array("func one() {\n}\ninit() { self.init(a: 1) }".utf8))
        #expect(functions == [.init(name: "one", first: 1, lines: 2), .init(name: "init", first: 3, lines: 1)])
    }

    @Test(arguments: Rule.marks) func `a leftover mark is found in comments and scripts`(mark: String) {
        #expect(lines(.leftoverMarks, "Sources/Store/A.swift", "let a = 1 // \(mark): later") == [1])
        #expect(lines(.leftoverMarks, "Deploy/demo.sh", "true\n# \(mark)\n") == [2])
        #expect(lines(.leftoverMarks, "Deploy/demo.sh", "mktemp /tmp/a.\(mark)\(mark)").isEmpty)
    }

    @Test func `a forced try is found`() {
        #expect(lines(.forcedTry, "Tests/StoreTests/A.swift", "let a = try! f()") == [1])
        #expect(lines(.forcedTry, "Tests/StoreTests/A.swift", "let a = try? f() // try! no").isEmpty)
    }

    @Test func `unchecked sendability needs its comment`() {
        let bare = "final class Loop: @unchecked Sendable {}"
        #expect(lines(.uncheckedSendable, "Sources/Store/A.swift", bare) == [1])
        #expect(lines(.uncheckedSendable, "Sources/Store/A.swift", "// Safety: one loop owns it\n" + bare).isEmpty)
    }

    @Test func `a sleep in a test is found`() {
        #expect(lines(.sleepsInTests, "Tests/StoreTests/A.swift", "usle" + "ep(10)") == [1])
        #expect(lines(.sleepsInTests, "Tests/StoreTests/A.swift", "try await Task" + ".sleep(for: pause)") == [1])
        #expect(lines(.sleepsInTests, "Tests/Servers/A.swift", "usle" + "ep(10)").isEmpty)
        #expect(lines(.sleepsInTests, "Tests/StoreTests/A.swift", "func `it does not sle" + "ep()`() {}").isEmpty)
    }

    @Test func `empty names and names of modules are found`() {
        #expect(lines(.names, "Sources/Store/StringUtils.swift", "") == [0])
        #expect(lines(.names, "Sources/Store/Common/A.swift", "") == [0])
        #expect(lines(.names, "Sources/Store/A.swift", "public final class ShardManager {}") == [1])
        #expect(lines(.names, "Sources/Fleet/A.swift", "enum Transport { case quic }") == [1])
        #expect(lines(.names, "Sources/Fleet/A.swift", "let files = FileManager.default\nstruct CommonName {}").isEmpty)
    }

    @Test func `a switch over providers is found outside their target`() {
        let text = "switch provider {\ncase .apns: 1\ndefault: 2\n}"
        #expect(lines(.providerSwitches, "Sources/Fleet/A.swift", text) == [2])
        #expect(lines(.providerSwitches, "Sources/PushProviders/A.swift", text).isEmpty)
    }

    @Test func `what a driver keeps of shards and campaigns is found, and what it passes on is not`() {
        let kept =
            "final class Desk {\n    private var claims: [ShardKey: Int] = [:]\n    let campaigns = Set<UInt32>()\n"
        let passed = "    func take(_ claims: [ShardKey: Int]) {\n        let known: Set<UInt32> = []\n    }\n}\n"
        #expect(lines(.drivers, "Sources/Fleet/Sender/A.swift", kept + passed) == [2, 3])
        #expect(lines(.drivers, "Sources/Delivery/Running/A.swift", kept + passed).isEmpty)
    }

    @Test(arguments: [
        "WHERE s.state = 3 AND s.campaign = ?1", "SET state=0, aside = NULL", "state <> 4", "state IN (0, 1)",
        "WHERE state NOT IN (2)", "CASE WHEN state != 1 THEN", "s.state in (0)", "state >= 4", "c.stage <> 'planning'",
        "SET stage = 'failed', failure = ?2", "stage IN ('cancelled', 'failed')", "s.aside NOT IN ('guard')",
        "c.kind = 'poll'", "ORDER BY c.urgency = 'bulk'",
    ])
    func `a state that is a literal in a statement is found`(_ sql: String) {
        let text = "let sql = \"\"\"\n    \(sql)\n    \"\"\""
        #expect(lines(.statesByName, "Sources/Store/Life/A.swift", text) == [2])
        #expect(lines(.statesByName, "Sources/Store/Schema/sqlite.sql", text).isEmpty)
        #expect(lines(.statesByName, "Sources/Fleet/A.swift", text).isEmpty)
    }

    @Test(arguments: [
        "WHERE state = ?9", "\\(ShardRows.isIn(.aside))", "state = \\(ShardState.out.sql)", "state IN (?1, ?2)",
        "interstate = 4", "state_reason = 1", "/// the state = 4 is settled", "stage = \\(CampaignStage.held.sql)",
        "z.urgency IN ('', c.urgency)", "backstage = 'left'",
    ])
    func `a state with its name or from outside is fine`(_ sql: String) {
        #expect(lines(.statesByName, "Sources/Store/Life/A.swift", "let a = 1\n\(sql)").isEmpty)
    }

    @Test(arguments: ["What", "Whether", "Who", "Whose", "Where", "When", "Which", "How", "Why"])
    func `a summary that begins with a question word is found`(word: String) {
        #expect(
            lines(.summaries, "Sources/Store/A.swift", "struct A {\n    /// \(word) it is.\n    let a = 1\n}\n") == [2]
        )
        let inside = "/// The rate at\n/// \(word) it is.\nlet a = \"/// \(word)\"\n"
        #expect(lines(.summaries, "Sources/Store/A.swift", inside).isEmpty)
    }

    @Test func `a comment of 121 columns is found`() {
        let comment = "    // " + String(repeating: "a", count: 113)
        #expect(lines(.commentWidth, "Sources/Store/A.swift", "\(comment)\n\(comment)a\n") == [2])
    }

    @Test func `raw and multi-line strings are blanked, line by line`() {
        let text = ##"""
            let a = #"try! "quoted" \(try! b)"#
            let c = """
                try! "inside" \(try! d)
                """ /* try! /* nested */ try! */
            let e = try! f()
            """##
        #expect(lines(.forcedTry, "Sources/Store/A.swift", text) == [3, 5])
    }
}
