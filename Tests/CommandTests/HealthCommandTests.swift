import Campaigns
import Delivery
import Store
import Testing

/// `status` and `doctor` tell what workers report, in the same words.
@Suite struct HealthCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
        try folder.write("fanfare.yaml", "amqp: {url: \"amqp://127.0.0.1:1\"}\n")
    }

    /// Makes a ledger with two workers at work, one of which lacks an app and has refused credentials, and one that
    /// vanished a minute ago.
    private func makeFleet() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        // A little ahead, which is plausible: the workers count as live for longer on a slow machine.
        let now = ledger.now().advanced(by: .seconds(4))
        func add(_ name: String, _ apps: [String], _ health: WorkerHealth?, at instant: Timestamp) async throws {
            let accounts = AppAccounts(Dictionary(uniqueKeysWithValues: apps.map { ($0, [ProviderName.apns]) }))
            try await ledger.write {
                let id = try $0.registerWorker(
                    name: name,
                    roles: ["intake", "planner", "sender", "tracking"],
                    accounts: accounts,
                    // Before the silence of the third: whoever is started after it takes its place.
                    now: now.advanced(by: .seconds(-120))
                )
                try $0.reportWorker(id, accounts: accounts, health: health, now: instant)
            }
        }
        var refused = WorkerHealth.Credential(app: "news", provider: .apns)
        refused.refusal = WorkerHealth.Fault(since: now, reason: "InvalidProviderToken")
        try await add("a", ["news", "shop"], WorkerHealth(versions: ["news": "1", "shop": "1"]), at: now)
        try await add("b", ["news"], WorkerHealth(credentials: [refused], versions: ["news": "2"]), at: now)
        try await add("c", ["news"], nil, at: now.advanced(by: .seconds(-60)))
        await ledger.close()
    }

    private let codes: Set<String> = ["worker_silent", "credentials", "app_missing", "app_versions"]

    @Test func `status tells of each worker's problems with cause and remedy`() async throws {
        try await makeFleet()
        let outcome = try command.run("status", "--json")
        // The broker is not there.
        #expect(outcome.exit == 69)
        let document = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
        let problems = try #require(document["problems"]?.array)
        #expect(Set(problems.compactMap { $0["code"]?.string }) == codes.union(["broker"]), "\(outcome.output)")
        for problem in problems {
            #expect(problem["needs_person"] == true && problem["remedy"]?.string?.isEmpty == false)
        }
        let needs = try #require(document["needs"]?.array).compactMap(\.string)
        #expect(needs.contains { $0.contains("worker b lacks shop, which other workers have: copy the apps file") })
    }

    @Test func `status says of a worker that vanished when it was last heard`() async throws {
        try await makeFleet()
        let text = try command.run("status").output
        #expect(text.contains("SILENT") && text.contains("last heard") && text.contains("by worker b"), "\(text)")
    }

    @Test func `doctor finds the same`() async throws {
        try await makeFleet()
        let outcome = try command.run("doctor", "--offline", "--json")
        #expect(outcome.exit == 1)
        let document = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
        let findings = try #require(document["findings"]?.array)
        for check in ["worker c", "news (apns)", "app shop", "app news"] {
            let finding = findings.first { $0["check"]?.string == check }
            #expect(finding?["verdict"] == "wrong" && finding?["mend"]?.string != nil, "\(check): \(outcome.output)")
        }
        let store = findings.first { $0["check"] == "store" }
        #expect(store?["verdict"] == "well")
        let workers = findings.first { $0["check"] == "workers" }
        #expect(workers?["detail"] == "2 at work")
    }
}
