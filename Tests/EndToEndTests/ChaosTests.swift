import Campaigns
import Delivery
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Workers and brokers killed at random moments, many times over, judged as Jepsen's total-queue judges a queue.
    @Suite("Chaos")
    struct Chaos {
        @Test(arguments: ChaosLedger.all)
        func `D1: workers killed at random moments lose nobody, and repeat what was in flight or unflushed at most`(
            ledger: ChaosLedger
        ) async throws {
            let seed = ChaosSeed.fresh()
            var random = SeededRandom(seed: seed)
            var verdict = ChaosVerdict("kill -9 of a worker, \(ledger.rawValue)", seed: seed)
            let rounds = FullSuite.isOn ? 200 : 6
            let server = try ledger.server()
            defer { server?.remove() }
            let faults = ["latency": "5-30", "streams": "200"]
            try await PrivateFleet.with(faults: faults, postgreSQL: server) { fleet in
                var workers: [FanfareProcess] = []
                for _ in 1...3 { workers.append(try await fleet.startWorker()) }
                let law = LawWatch(fleet)
                defer { law.end() }
                for round in 1...rounds {
                    let audience = 3000 + random.below(5000)
                    let id = "round-\(round)"
                    try await fleet.putList(id, TestDevices.tokens(audience, prefix: ChaosSeed.prefix(round)))
                    let before = Int(fleet.simulator.statistics.requests)
                    try await fleet.publish(TestJob(id, list: id))
                    law.watch(id, audience: audience)
                    // From its acceptance to its last shards.
                    try await fleet.requests(reach: before + random.below(audience * 19 / 20))
                    try await lasting(.milliseconds(random.below(20)))
                    let victim = random.below(workers.count)
                    let bound = try await workers[victim].metrics().repeatsMost
                    workers[victim].kill()
                    let open = try await fleet.status(id)?.pending.total ?? audience
                    let status = try await fleet.completed(id, within: .seconds(120))
                    let devices = try await fleet.devices(id)
                    verdict.add(devices, audience: audience, open: open, bound: bound)
                    #expect(status.counts.accepted == audience, "seed \(seed), round \(round)")
                    #expect(status.law == .holds, "seed \(seed), round \(round)")
                    workers[victim] = try await fleet.startWorker()
                }
                try law.judge(seed: seed)
                verdict.unexpected = Int(fleet.simulator.statistics.distinctTokens) - verdict.devices
            }
            verdict.judge()
        }

        @Test(.enabled(if: FullSuite.isOn), arguments: ChaosLedger.all)
        func `B2: a broker killed twenty times and an alarm of a minute during a campaign of a million devices`(
            ledger: ChaosLedger
        ) async throws {
            let seed = ChaosSeed.fresh()
            var random = SeededRandom(seed: seed)
            var verdict = ChaosVerdict("kill -9 of the broker, \(ledger.rawValue)", seed: seed)
            let audience = 1_000_000
            let server = try ledger.server()
            defer { server?.remove() }
            // So few streams that the far side, a debug build on shared cores, never has ten seconds of them before it.
            let faults = ["latency": "100", "streams": "20", "once_503": "0.01"]
            try await PrivateFleet.with(faults: faults, postgreSQL: server) { fleet in
                let node = try await PrivateBroker.node()
                var workers: [FanfareProcess] = []
                for _ in 1...2 { workers.append(try await fleet.startWorker()) }
                try await fleet.putList("all", TestDevices.tokens(audience))
                try await fleet.publish(TestJob("derby", list: "all"))
                let law = LawWatch(fleet)
                defer { law.end() }
                law.watch("derby", audience: audience)
                let last = audience * 9 / 10
                for kill in 1...20 {
                    try await fleet.requests(reach: last * kill / 21, within: .seconds(300))
                    try await lasting(.milliseconds(random.below(1000)))
                    node.kill()
                    // With a ledger that is a server, that one dies ten times as well.
                    if let server, kill.isMultiple(of: 2) {
                        server.kill()
                        try server.restart()
                    }
                    try await node.restart()
                    if kill == 10 {
                        try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.00001")
                        try await lasting(.seconds(60))
                        try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
                    }
                }
                #expect(fleet.simulator.statistics.requests < audience, "the campaign outlived the kills")
                let status = try await fleet.completed("derby", within: .seconds(900))
                #expect(status.counts.accepted == audience)
                #expect(workers.allSatisfy { $0.isRunning })
                try law.judge(seed: seed)
                let devices = try await fleet.devices("derby")
                // A lost lease repeats what another worker had in flight; the one that lost it still writes its answers.
                var bound = 0
                for worker in workers { bound += 20 * (try await worker.metrics().repeatsMost) }
                // What was without an answer when its deadline passed, or its connection ended, may never have arrived.
                verdict.unanswered = status.unknownResent + status.maybeSent
                verdict.add(devices, audience: audience, open: audience, bound: bound)
                verdict.unexpected = Int(fleet.simulator.statistics.distinctTokens) - audience
            }
            verdict.judge()
        }
    }
}

/// What the rounds' ledger is.
enum ChaosLedger: String {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    /// Both, or the one that `FANFARE_LEDGER` names (`SQLite`, `PostgreSQL`).
    static var all: [ChaosLedger] {
        if let named = getenv("FANFARE_LEDGER").flatMap({ ChaosLedger(rawValue: String(cString: $0)) }) {
            return [named]
        }
        return Ledger.hasPostgreSQL ? [.sqlite, .postgreSQL] : [.sqlite]
    }

    /// A server of the test's own; nil for SQLite.
    func server() throws -> PrivatePostgreSQL? {
        self == .postgreSQL ? try PrivatePostgreSQL() : nil
    }
}

/// Where random rounds begin; `FANFARE_SEED` takes them up again.
enum ChaosSeed {
    static func fresh() -> UInt64 {
        let seed = getenv("FANFARE_SEED").flatMap { UInt64(String(cString: $0)) }
        return seed ?? UInt64.random(in: 1...0xFFFF_FFFF)
    }

    /// Tokens of a round that no other round has.
    static func prefix(_ round: Int) -> String { String(0xC0000 + round, radix: 16) }
}

/// What rounds of kills came to: one line of the table in the README.
struct ChaosVerdict {
    let name: String
    let seed: UInt64
    private(set) var rounds = 0
    private(set) var devices = 0
    /// Devices without an outcome, or that the ledger calls accepted and the far side never took.
    private(set) var lost = 0
    /// Devices that the far side saw and no audience has.
    var unexpected = 0
    /// Requests that the far side saw and the ledger does not know.
    private(set) var duplicated = 0
    private var worst = (repeats: 0, bound: 0)
    /// Devices without an outcome at the kill that have one at the end.
    private(set) var recovered = 0
    private var beyond: [String] = []
    /// Requests that had no answer, by the ledger: the far side may not have seen them.
    var unanswered = 0

    init(_ name: String, seed: UInt64) {
        self.name = name
        self.seed = seed
    }

    /// One round.
    mutating func add(_ found: [CountedDevice], audience: Int, open: Int, bound: Int) {
        rounds += 1
        devices += audience
        lost += audience - found.count { $0.outcome != nil && ($0.outcome != .accepted || $0.accepted >= 1) }
        recovered += open
        let repeats = found.repeats
        duplicated += repeats
        if repeats > worst.repeats { worst = (repeats, bound) }
        let unseen = found.reduce(0) { $0 + max(0, $1.attempts - $1.requests) }
        if repeats > bound || unseen > unanswered {
            beyond.append("round \(rounds): \(repeats) repeats of \(bound), \(found.differing.prefix(3))")
        }
    }

    /// Prints the line and fails what is to fail.
    func judge() {
        print(
            """
            \(name): \(rounds) rounds, \(devices) devices, seed \(seed): lost \(lost), unexpected \(unexpected), \
            duplicated \(duplicated) (\(worst.repeats) of \(worst.bound) at most), recovered \(recovered)
            """
        )
        #expect(lost == 0, "seed \(seed)")
        #expect(unexpected == 0, "seed \(seed)")
        #expect(beyond.isEmpty, "seed \(seed): \(beyond)")
    }
}
