import Campaigns
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Many random kills of workers and brokers, judged as Jepsen's total-queue judges a queue.
    @Suite("Chaos")
    struct Chaos {
        @Test(arguments: ChaosLedger.all)
        func `D1: workers killed at random moments lose nobody, and repeat what was in flight or unflushed at most`(
            ledger: ChaosLedger
        ) async throws {
            let seed = ChaosSeed.fresh()
            var random = SeededRandom(seed: seed)
            var verdict = ChaosVerdict("kill -9 of a worker, \(ledger.rawValue)", seed: seed)
            // A takeover waits until the killed worker's row has lapsed, ten seconds in each round.
            let rounds = FullSuite.isOn ? 200 : 2
            let server = try ledger.server()
            defer { server?.remove() }
            try await PrivateFleet.with(faults: SmallFlight.faults, postgreSQL: server) { fleet in
                var workers: [FanfareProcess] = []
                for _ in 1...3 { workers.append(try await fleet.startSmallWorker()) }
                let accounting = AccountingPoll(fleet)
                defer { accounting.end() }
                for round in 1...rounds {
                    let audience = 2000 + random.below(3000)
                    let id = "round-\(round)"
                    try await fleet.putList(id, TestDevices.tokens(audience, prefix: ChaosSeed.prefix(round)))
                    let before = Int(fleet.simulator.statistics.requests)
                    try await fleet.publish(TestJob(id, list: id))
                    accounting.poll(id, audience: audience)
                    // The kill comes between the acceptance and the last shards.
                    try await fleet.requests(reach: before + random.below(audience * 19 / 20))
                    try await lasting(.milliseconds(random.below(20)))
                    let victim = random.below(workers.count)
                    let bound = try await workers[victim].metrics().repeatsMost
                    workers[victim].kill()
                    let open = try await fleet.status(id)?.pending.total ?? audience
                    let status = try await fleet.completed(id, within: .seconds(120))
                    let devices = try await fleet.devices(id)
                    verdict.add(devices, audience: audience, open: open, bound: bound, status: status)
                    #expect(status.counts.accepted == audience, "seed \(seed), round \(round)")
                    #expect(status.law == .holds, "seed \(seed), round \(round)")
                    workers[victim] = try await fleet.startSmallWorker()
                }
                try accounting.judge(seed: seed)
                verdict.unexpected = fleet.simulator.statistics.distinctTokens - verdict.seen
            }
            verdict.judge()
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker, arguments: ChaosLedger.all)
        func `B2: a broker killed twenty times and an alarm of a minute during a campaign of a million devices`(
            ledger: ChaosLedger
        ) async throws {
            let seed = ChaosSeed.fresh()
            var random = SeededRandom(seed: seed)
            var verdict = ChaosVerdict("kill -9 of the broker, \(ledger.rawValue)", seed: seed)
            let audience = 1_000_000
            let server = try ledger.server()
            defer { server?.remove() }
            // So few streams that the simulator, a debug build on shared cores, never has ten seconds of them queued.
            let faults = SmallFlight.faults.merging(["once_503": "0.01"]) { $1 }
            try await PrivateFleet.with(faults: faults, postgreSQL: server) { fleet in
                let node = try await PrivateBroker.node()
                var workers: [FanfareProcess] = []
                for _ in 1...2 { workers.append(try await fleet.startSmallWorker()) }
                try await fleet.putList("all", TestDevices.tokens(audience))
                try await fleet.publish(TestJob("derby", list: "all"))
                let accounting = AccountingPoll(fleet)
                defer { accounting.end() }
                accounting.poll("derby", audience: audience)
                let last = audience * 9 / 10
                var bound = 0
                for kill in 1...20 {
                    try await fleet.requests(reach: last * kill / 21, within: .seconds(300))
                    try await lasting(.milliseconds(random.below(1000)))
                    // A lost lease repeats at most the requests in flight. The surviving workers write the answers,
                    // unless the ledger dies as well, which it does ten times if it is a server.
                    let isLedgerKilled = server != nil && kill.isMultiple(of: 2)
                    for worker in workers {
                        let metrics = try await worker.metrics()
                        bound += isLedgerKilled ? metrics.repeatsMost : metrics.inFlightMost
                    }
                    node.kill()
                    if let server, isLedgerKilled {
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
                try accounting.judge(seed: seed)
                let devices = try await fleet.devices("derby")
                // Requests without an answer at their deadline, or at the end of their connection, may never have
                // arrived.
                verdict.add(devices, audience: audience, open: audience, bound: bound, status: status)
                verdict.unexpected = fleet.simulator.statistics.distinctTokens - verdict.seen
            }
            verdict.judge()
        }
    }
}

/// The kind of ledger of the rounds.
enum ChaosLedger: String {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    /// Both kinds, or the one that `FANFARE_LEDGER` names (`SQLite`, `PostgreSQL`).
    static var all: [ChaosLedger] {
        if let named = getenv("FANFARE_LEDGER").flatMap({ ChaosLedger(rawValue: String(cString: $0)) }) {
            return [named]
        }
        return Ledger.hasPostgreSQL ? [.sqlite, .postgreSQL] : [.sqlite]
    }

    /// Returns a server for the test alone; nil for SQLite.
    func server() throws -> PrivatePostgreSQL? {
        self == .postgreSQL ? try PrivatePostgreSQL() : nil
    }
}

/// The seed of random rounds; `FANFARE_SEED` repeats them.
enum ChaosSeed {
    static func fresh() -> UInt64 {
        let seed = getenv("FANFARE_SEED").flatMap { UInt64(String(cString: $0)) }
        return seed ?? UInt64.random(in: 1...0xFFFF_FFFF)
    }

    /// Returns the tokens' prefix of a round, which no other round has.
    static func prefix(_ round: Int) -> String { String(0xC0000 + round, radix: 16) }
}

/// The result of rounds of kills: one line of the table in `Faults.md`.
struct ChaosVerdict {
    let name: String
    let seed: UInt64
    private(set) var rounds = 0
    private(set) var devices = 0
    /// Devices that the simulator saw and an audience has.
    private(set) var seen = 0
    /// Devices without an outcome, or accepted in the ledger but never received by the simulator.
    private(set) var lost = 0
    /// Devices that the simulator saw and no audience has.
    var unexpected = 0
    /// Unnecessary requests, by the simulator's count.
    private(set) var duplicated = 0
    private var worst = (repeats: 0, bound: 0)
    /// Devices without an outcome at the kill, and those of them that have one at the end.
    private(set) var open = 0
    private(set) var recovered = 0
    private var beyond: [String] = []

    init(_ name: String, seed: UInt64) {
        self.name = name
        self.seed = seed
    }

    /// Adds one round: its devices, those without an outcome at the kill, and the bound of repeats.
    ///
    /// The status counts requests that were sent again for lack of an answer: the simulator saw those once, twice or
    /// never.
    mutating func add(_ found: [CountedDevice], audience: Int, open: Int, bound: Int, status: CampaignStatus) {
        let resent = status.unknownResent
        rounds += 1
        devices += audience
        seen += found.count { $0.requests > 0 }
        lost += audience - found.count { $0.outcome != nil && ($0.outcome != .accepted || $0.accepted >= 1) }
        self.open += open
        recovered += found.count { $0.outcome != nil } - (audience - open)
        // A bound that even a repeated audience would keep is worthless.
        if audience <= 4 * (bound + resent) { beyond.append("round \(rounds): a bound of \(bound) for \(audience)") }
        let repeats = found.repeats
        duplicated += repeats
        if repeats > worst.repeats { worst = (repeats, bound) }
        if repeats > bound + resent || found.unseen > resent {
            beyond.append("round \(rounds): \(repeats) repeats of \(bound), \(found.differing.prefix(3))")
        }
        if repeats > status.maybeSent + resent {
            beyond.append("round \(rounds): \(repeats) repeats, of which the status tells \(status.maybeSent)")
        }
    }

    /// Prints the line and fails the test if the result is bad.
    func judge() {
        print(
            """
            \(name): \(rounds) rounds, \(devices) devices, seed \(seed): lost \(lost), unexpected \(unexpected), \
            duplicated \(duplicated) (\(worst.repeats) of \(worst.bound) at most), recovered \(recovered)
            """
        )
        #expect(lost == 0, "seed \(seed)")
        #expect(unexpected == 0, "seed \(seed)")
        // Kills that come when all is over recover nothing and prove nothing.
        #expect(recovered == open && open > 0, "seed \(seed): \(recovered) of \(open)")
        #expect(beyond.isEmpty, "seed \(seed): \(beyond)")
    }
}
