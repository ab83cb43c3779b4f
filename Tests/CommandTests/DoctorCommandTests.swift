import Campaigns
import Fleet
import Testing

@testable import fanfare

/// What `doctor` makes of what it finds; Tests/EndToEndTests has it look at a whole fleet.
@Suite struct DoctorCommandTests {
    @Test(arguments: [("3.9.29", "wrong"), ("3.10.8", "well"), ("4.1.0", "well"), ("banana", "unknown")])
    func `a broker that cannot dead-letter safely is refused by its version`(version: String, verdict: String) {
        #expect(BrokerChecks.version(version).verdict.rawValue == verdict)
    }

    @Test(arguments: [(0, "well"), (59_999, "well"), (60_000, "warning"), (-90_000, "warning")])
    func `a store whose clock is a minute off is told`(lead: Int, verdict: String) {
        #expect(StoreChecks.clock(Int64(lead)).verdict.rawValue == verdict)
    }

    @Test func `few open files are a warning with the number to ask for`() {
        #expect(MachineChecks.openFiles(1024).mend?.contains("4096") == true)
        #expect(MachineChecks.openFiles(20_000).mend == nil)
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
