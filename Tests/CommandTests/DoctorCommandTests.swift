import Campaigns
import Delivery
import Settings
import Testing

@testable import fanfare

/// Verdicts of `doctor` on its findings; Tests/EndToEndTests runs it on a whole fleet.
@Suite struct DoctorCommandTests {
    @Test(arguments: [("3.9.29", "wrong"), ("3.10.8", "well"), ("4.1.0", "well"), ("banana", "unknown")])
    func `a broker that cannot dead-letter safely is refused by its version`(version: String, verdict: String) {
        #expect(BrokerChecks.version(version).verdict.rawValue == verdict)
    }

    @Test func `each broker's version is named while an upgrade is under way, and the oldest one judged`() {
        let mixed = BrokerChecks.version("4.0.5", BrokerVersions(nodes: ["a": "3.13.7", "b": "4.0.5", "c": "3.13.7"]))
        #expect(mixed.verdict == .warning && mixed.detail == "3.13.7 on a, c; 4.0.5 on b")
        let old = BrokerChecks.version("3.10.8", BrokerVersions(nodes: ["a": "3.10.8", "b": "3.9.29"]))
        #expect(old.verdict == .wrong && old.detail.hasPrefix("3.9.29 "))
        let same = BrokerChecks.version("4.0.5", BrokerVersions(nodes: ["a": "4.0.5", "b": "4.0.5"]))
        #expect(same == .well("broker version", "4.0.5 on 2 nodes"))
    }

    @Test func `feature flags that are off and finished are named`() {
        let flags: [BrokerVersions.Flag] = [
            .init(name: "khepri_db", state: "disabled", stability: "experimental"),
            .init(name: "quorum_queue", state: "disabled", stability: "required"),
            .init(name: "message_containers", state: "disabled", stability: "stable"),
            .init(name: "rabbitmq_4.0.0", state: "unavailable", stability: "stable"),
            .init(name: "stream_queue", state: "enabled", stability: "stable"),
        ]
        let findings = BrokerChecks.flags(BrokerVersions(nodes: [:], flags: flags))
        #expect(findings.map(\.verdict) == [.warning])
        #expect(findings.first?.detail.hasPrefix("message_containers, quorum_queue are off") == true)
        #expect(BrokerChecks.flags(BrokerVersions(nodes: [:], flags: [flags[0], flags[4]])).isEmpty)
    }

    @Test(arguments: [
        (["a", "b", "c"], "abcabc", ["well", "well"]), (["a", "b", "c"], "aaaaaa", ["well", "warning"]),
        (["a", "b"], "aaabbb", ["warning"]), (["a"], "aaaaaa", ["wrong"]),
    ])
    func `doctor tells nodes that are missing, a lost quorum, and leaders that are not spread`(
        online: [String],
        leaders: String,
        verdicts: [String]
    ) {
        let queues = leaders.enumerated().map { number, leader in
            let members: Set = ["a", "b", "c"]
            return ClusterStanding.Queue(
                name: "q\(number)",
                leader: "\(leader)",
                members: members,
                online: Set(online)
            )
        }
        let findings = BrokerChecks.cluster(ClusterStanding(queues: queues))
        #expect(findings.map { $0.verdict.rawValue } == verdicts)
    }

    @Test(arguments: [
        (0, "well", "well"), (4999, "well", "well"), (5000, "warning", "warning"), (60_000, "wrong", "warning"),
        (-90_000, "wrong", "warning"),
    ])
    func `a clock that is seconds off is told, and a minute is wrong where another host's counts`(
        skew: Int64,
        server: String,
        host: String
    ) {
        let findings = [ClockStanding.Source.server, .host].map {
            StoreChecks.clock(ClockStanding(skew: skew, source: $0))
        }
        #expect(findings.map(\.verdict.rawValue) == [server, host])
    }

    @Test func `what lets strangers in is a warning, each with its fix`() throws {
        #expect(SafetyChecks.user("guest").verdict == .warning && SafetyChecks.user("fanfare-worker").verdict == .well)
        let open = Configuration.NetworkAddress(host: "0.0.0.0", port: 8443)
        #expect(SafetyChecks.edge(at: open, isSecure: false)?.verdict == .warning)
        #expect(SafetyChecks.edge(at: open, isSecure: true)?.verdict == .well)
        #expect(SafetyChecks.edge(at: .init(host: "127.0.0.1", port: 8443), isSecure: false) == nil)
        let token = AccessToken(name: "crm", hash: [], role: "viewer", apps: nil)
        #expect(SafetyChecks.tokens([token]).detail.contains("crm"))
        let folder = try CommandFolder()
        try folder.write("fanfare.yaml", "store: {url: \"postgresql://fanfare@db.invalid/x\"}\n")
        let outcome = try Command(folder: folder.path).run("doctor", "--offline", "--json")
        let list = try #require(JSONReader.read(Array(outcome.output.utf8)).value?["findings"]?.array)
        let warned = list.filter { $0["verdict"] == "warning" }.compactMap { $0["check"]?.string }
        #expect(warned.contains("broker user"), "\(outcome.output)")
        let tls = list.first { $0["check"] == "store TLS" }?["detail"]?.string
        #expect(tls?.contains("verify-full, the default off this machine") == true, "\(outcome.output)")
    }

    @Test(arguments: SafetyCase.allCases)
    func `what lets strangers in is named by the program, and what does not is well`(_ check: SafetyCase) throws {
        let folder = try CommandFolder()
        for (name, text) in SafetyCase.files { try folder.write(name, text) }
        for isOpen in [true, false] {
            try folder.write("fanfare.yaml", check.configuration(isOpen: isOpen))
            try folder.write("apps.yaml", check.apps(isOpen: isOpen))
            let outcome = try Command(folder: folder.path).run("doctor", "--offline", "--json")
            let list = try #require(JSONReader.read(Array(outcome.output.utf8)).value?["findings"]?.array)
            let found = list.first { $0["check"]?.string == check.rawValue }
            let verdict = found?["verdict"]?.string
            #expect(verdict == (isOpen ? "warning" : check.verdictOfClosed), "\(outcome.output)")
            #expect((found?["mend"]?.string != nil) == isOpen)
        }
    }

    @Test func `few open files are a warning with the number to ask for`() {
        #expect(MachineChecks.openFiles(1024).fix?.contains("4096") == true)
        #expect(MachineChecks.openFiles(20_000).fix == nil)
    }

    @Test func `a configuration that cannot be read is told with its place, and nothing else is looked at`() throws {
        let folder = try CommandFolder()
        try folder.write("fanfare.yaml", "amqp: {ulr: x}\n")
        let outcome = try Command(folder: folder.path).run("doctor", "--json")
        #expect(outcome.exit == 1)
        let findings = try #require(JSONReader.read(Array(outcome.output.utf8)).value?["findings"]?.array)
        #expect(findings.count == 1)
        #expect(findings.first?["detail"]?.string?.contains("fanfare.yaml:1: amqp.ulr") == true)
    }

    @Test func `without broker and store both are told, with what to do`() throws {
        let folder = try CommandFolder()
        try folder.write("fanfare.yaml", "amqp: {url: \"amqp://127.0.0.1:1\"}\n")
        let outcome = try Command(folder: folder.path).run("doctor", "--offline")
        #expect(outcome.exit == 1)
        for line in ["✗  broker", "?  topology", "✗  store", "✗  apps"] { #expect(outcome.output.contains(line)) }
    }
}
