import Campaigns
import Delivery
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Audiences of which several planners freeze ranges.
    @Suite("Shared audiences")
    struct SharedAudiences {
        /// Registers devices that are alike, so that an audience of few has several pieces.
        private static func register(_ count: Int, in fleet: PrivateFleet) async throws {
            let tokens = TestDevices.tokens(count)
            for start in stride(from: 0, to: count, by: 1000) {
                let batch = (start..<min(start + 1000, count)).map { number in
                    DeviceRegistration(device: Device(token: tokens[number], id: "d\(number)"))
                }
                _ = try await Registry.register(batch, app: PrivateFleet.app, in: fleet.ledger)
            }
        }

        /// Begins the audience of an accepted campaign as a planner does, in so many ranges, and leaves all of it to
        /// others: a registry as large as the rule wants would take minutes to fill.
        private static func divide(_ id: String, into ranges: Int, in fleet: PrivateFleet) async throws {
            let (number, worker) = (try await fleet.number(id), Int64(1 << 40))
            let now = TestClock.now()
            let begun = try await fleet.ledger.write(.synced) { transaction -> FrozenAudience? in
                let leases = try transaction.leaseCampaigns(worker: worker, apps: [PrivateFleet.app], now: now)
                guard let lease = leases.first(where: { $0.facts.number == number })?.wholeToken,
                    let audience = try transaction.openFrozen(lease, now: now)
                else { return nil }
                let flowing = try transaction.beginFlow(
                    audience,
                    providers: [.apns],
                    contents: [],
                    sample: AudienceSample(perMillion: 1_000_000, errorPerMillion: 0),
                    ranges: ranges,
                    by: lease,
                    now: now
                )
                try transaction.releaseLeases(worker: worker)
                return flowing
            }
            _ = try #require(begun)
        }

        @Test(arguments: ChaosLedger.all)
        func `planners that are killed again and again while they freeze one audience lose nobody and repeat nobody`(
            _ store: ChaosLedger
        ) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(postgreSQL: server) { fleet in
                let (count, most) = FullSuite.isOn ? (60_000, 50) : (12_000, 2)
                try await Self.register(count, in: fleet)
                // The one that sends lives, so that every repeated request is a planner's.
                let sender = try await fleet.startWorker(roles: "intake,sender")
                var (killed, round) = (0, 0)
                while killed < most {
                    round += 1
                    let id = "derby-\(round)"
                    var job = TestJob(id, [])
                    job.audience = .object(["everyone": true])
                    try await fleet.publish(job)
                    try await eventually("\(id) is accepted") { try await fleet.status(id) != nil }
                    try await Self.divide(id, into: 8, in: fleet)
                    var planners: [FanfareProcess] = []
                    var (seen, isPlanning) = (0, true)
                    while isPlanning {
                        while planners.count < 2 { planners.append(try await fleet.startWorker(roles: "planner")) }
                        var audience = seen
                        try await eventually("more of \(id) is frozen") {
                            guard let status = try await fleet.status(id) else { return false }
                            #expect(status.law == .holds)
                            (audience, isPlanning) = (status.audience, status.isPlanning)
                            return !isPlanning || audience > seen
                        }
                        seen = audience
                        guard isPlanning, killed < most else { break }
                        for planner in planners { try await fleet.killKnown(planner) }
                        killed += planners.count
                        planners = []
                    }
                    let status = try await fleet.completed(id, within: .seconds(120))
                    #expect(status.audience == count && status.counts.accepted == count && status.law == .holds)
                    let devices = try await fleet.devices(id)
                    #expect(devices.count == count && Set(devices.map(\.token)).count == count)
                    // The provider counts over all rounds.
                    let odd = devices.filter { $0.requests != round }
                    #expect(odd.isEmpty, "\(odd.count) of \(id), such as \(odd.prefix(3))")
                    for planner in planners { try await fleet.killKnown(planner) }
                    try #require(round < 60, "hardly a planner was killed in mid-audience")
                }
                #expect(sender.isRunning)
            }
        }
    }
}
