import Campaigns
import Sanitizers
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Thousands of small campaigns on the real state machines, with crashes at every arrow of the design's section 7.
///
/// `FANFARE_SEED=n` replays one seed, `FANFARE_SEEDS=n` runs that many; ``SeedCount`` says how many are the default.
/// `Deploy/simulate.sh` is for long runs. Each mix of faults takes a share of them.
@Suite struct CampaignSimulationTests {
    private static func setting(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: Range<UInt64> {
        if let seed = setting("FANFARE_SEED") { return seed..<seed + 1 }
        return 0..<count
    }

    private static var count: UInt64 { setting("FANFARE_SEEDS") ?? SeedCount.byDefault }

    /// The seeds that each mix takes a share of: a third of all, unless the full suite runs or somebody asks for more.
    ///
    /// In a debug build the mixes of a thousand seeds cost as much as all other pure tests together.
    private static var countOfMixes: UInt64 {
        setting("FANFARE_SEEDS") != nil || setting("FANFARE_FULL") != nil ? count : count / 3
    }

    private static func tell(_ seed: UInt64) {
        print("seed \(seed)")
        fflush(nil)
    }

    /// The mixes of faults of `settle-model.py`, with its probabilities, each alone.
    @Test(
        arguments: [
            Faults.none, Faults(lostConfirm: 0.3), Faults(terminate: 0.02), Faults(lostConfirm: 0.2, pause: 0.01),
            Faults(crash: 0.004), Faults(disconnect: 0.004), Faults(disconnect: 0.004, freeze: 0.004),
            Faults(outage: 0.01), Faults(suspect: 0.3),
            Faults(leftOut: 0.4), Faults(crash: 0.004, disconnect: 0.004, leftOut: 0.4),
            Faults(known: 0.5), Faults(crash: 0.004, disconnect: 0.004, terminate: 0.01, suspect: 0.3, known: 0.3),
            Faults(suspect: 0.9, wrongEnvironment: true),
            Faults(crash: 0.004, terminate: 0.01, pause: 0.01, outage: 0.01), Faults(outage: 0.01, suspect: 0.6),
            Faults(pause: 0.01, outage: 0.01, suspect: 0.9, wrongEnvironment: true),
            Faults(crash: 0.004, disconnect: 0.004, outage: 0.01, suspect: 0.9, wrongEnvironment: true),
            Faults(lostConfirm: 0.2, crash: 0.003, disconnect: 0.003, terminate: 0.01, pause: 0.01),
            Faults(lostConfirm: 0.2, pause: 0.01, endChange: 0.02),
            Faults(crash: 0.003, disconnect: 0.003, terminate: 0.01, endChange: 0.02),
            Faults(quiet: 0.02),
            Faults(crash: 0.004, disconnect: 0.004, terminate: 0.01, pause: 0.01, outage: 0.01, quiet: 0.02),
        ]
    )
    func `the mixes of the settle model lose nothing and count nothing twice`(_ faults: Faults) throws {
        for seed in 0..<Self.countOfMixes / 20 {
            let report = try World(seed: seed, faults: faults).run()
            if faults.crash + faults.disconnect == 0 { #expect(report.extraSends == 0, "seed \(seed)") }
        }
    }

    @Test func `D2: no campaign loses a device, counts one twice, or sends without need`() throws {
        var total = World.Report(seed: 0)
        for seed in Self.seeds {
            // Names the campaign that ended the process (`Deploy/simulate.sh --mutants`).
            if Self.setting("FANFARE_TELL_SEEDS") != nil { Self.tell(seed) }
            let report = try World(seed: seed, faults: .of(seed: seed)).run()
            total.steps += report.steps
            total.crashes += report.crashes
            total.disconnects += report.disconnects
            total.terminations += report.terminations
            total.adoptions += report.adoptions
            total.takeovers += report.takeovers
            total.lostAnswers += report.lostAnswers
            total.extraSends += report.extraSends
            total.atRisk += report.atRisk
            total.outcomes += report.outcomes
            total.openings += report.openings
            total.closings += report.closings
            total.guardTrips += report.guardTrips
            total.guardPasses += report.guardPasses
            total.asked += report.asked
            total.waits += report.waits
            total.maybeSent += report.maybeSent
            total.quieted += report.quieted
            total.piecesLeft += report.piecesLeft
            total.slots += report.slots
            total.turns += report.turns
        }
        print("simulation: \(Self.seeds.count) seeds, \(total)")
        // A simulation in which nothing happens proves nothing.
        if Self.seeds.count >= 1_000 {
            #expect(min(total.crashes, total.disconnects, total.terminations, total.lostAnswers) > 100)
            #expect(min(total.openings, total.closings, total.asked, total.quieted) > 30)
            #expect(total.piecesLeft > 30)
            #expect(min(total.slots, total.turns) > 1_000)
            #expect(min(total.guardTrips, total.guardPasses) > 10)
            #expect(min(total.waits, total.maybeSent) > 100)
            #expect(min(total.adoptions, total.takeovers, total.outcomes.cancelled, total.outcomes.expired) > 0)
        }
        #expect(total.outcomes.total == Self.seeds.count * World.shardCount * SimulatedLedger.devicesPerShard)
    }

    /// The first provider fails, the second is paused, and all other faults occur as well.
    @Test(
        arguments: [
            Faults(isMixed: true, pauseShare: 0.02), Faults(isMixed: true, pauseShare: 0.02, outage: 0.02),
            Faults(lostConfirm: 0.2, terminate: 0.01, pause: 0.01, isMixed: true, pauseShare: 0.02, outage: 0.02),
            Faults(crash: 0.004, disconnect: 0.004, isMixed: true, pauseShare: 0.02, outage: 0.02, unknown: true),
            Faults(isMixed: true, pauseShare: 0.02, cancel: 0.002, outage: 0.02, quiet: 0.02),
        ]
    )
    func `of two providers one's trouble holds back nothing of the other`(_ faults: Faults) throws {
        var (besideOutage, besidePause, openings) = (0, 0, 0)
        for seed in 0..<Self.countOfMixes / 5 {
            let report = try World(seed: seed, faults: faults).run()
            besideOutage += report.besideOutage
            besidePause += report.besidePause
            openings += report.openings
        }
        if Self.countOfMixes >= 1_000 {
            #expect(besidePause > 100)
            if faults.outage > 0 { #expect(min(besideOutage, openings) > 50) }
        }
    }

    /// Two live workers with unstable connections: answers are awaited, however late they are.
    @Test(
        arguments: [
            Faults(disconnect: 0.02, isPatient: true), Faults(disconnect: 0.1, isPatient: true),
            Faults(lostConfirm: 0.2, duplicate: 0.3, disconnect: 0.05, isPatient: true, pause: 0.01),
            Faults(disconnect: 0.05, isPatient: true, terminate: 0.01, outage: 0.01, suspect: 0.2, quiet: 0.01),
            Faults(disconnect: 0.05, isPatient: true, pause: 0.01, cancel: 0.002, supersede: 0.002, blind: 0.5),
        ]
    )
    func `connections that flap have nobody pushed twice`(_ faults: Faults) throws {
        var (disconnects, waits, takeovers) = (0, 0, 0)
        for seed in 0..<Self.countOfMixes / 5 {
            let report = try World(seed: seed, faults: faults).run()
            disconnects += report.disconnects
            waits += report.waits
            takeovers += report.takeovers
        }
        if Self.countOfMixes >= 1_000 { #expect(min(disconnects, waits, takeovers) > 100) }
    }

    /// Crashes at every arrow, workers that cannot read the ledger, messages redelivered to other workers.
    @Test(
        arguments: [
            Faults(supersede: 0.005), Faults(lostConfirm: 0.2, duplicate: 0.2, terminate: 0.01, supersede: 0.005),
            Faults(crash: 0.01, disconnect: 0.01, supersede: 0.005, unknown: true),
            Faults(crash: 0.004, disconnect: 0.02, supersede: 0.005, blind: 0.5),
            Faults(crash: 0.004, disconnect: 0.004, terminate: 0.004, outage: 0.01, supersede: 0.005, blind: 0.95),
        ]
    )
    func `no request of a campaign follows the first of the one that takes its place`(_ faults: Faults) throws {
        var (superseded, awaited, ended) = (0, 0, 0)
        for seed in 0..<Self.countOfMixes / 5 {
            let report = try World(seed: seed, faults: faults).run()
            superseded += report.superseded
            awaited += report.awaited
            ended += report.outcomes.superseded
        }
        if Self.countOfMixes >= 1_000 { #expect(min(superseded, awaited, ended) > 20) }
    }

    /// The clock of the ledger's host is set again and again, and all other faults occur as well.
    @Test(
        arguments: [
            Faults(clockStep: 0.01), Faults(lostConfirm: 0.2, terminate: 0.01, pause: 0.01, clockStep: 0.02),
            Faults(crash: 0.004, disconnect: 0.004, outage: 0.01, quiet: 0.02, expiry: true, clockStep: 0.02),
        ]
    )
    func `steps of the wall clock expire nothing and stop nothing`(_ faults: Faults) throws {
        var steps = 0
        for seed in 0..<Self.countOfMixes / 5 {
            let report = try World(seed: seed, faults: faults).run()
            steps += report.clockSteps
            if !faults.expiry { #expect(report.outcomes.expired == 0, "seed \(seed)") }
        }
        if Self.countOfMixes >= 1_000 { #expect(steps > 100) }
    }

    /// Every worker is silent then, and none is dead.
    @Test(
        arguments: [
            Faults(away: 0.005), Faults(disconnect: 0.02, isPatient: true, away: 0.005),
            Faults(lostConfirm: 0.2, terminate: 0.01, outage: 0.01, away: 0.005),
            Faults(crash: 0.004, disconnect: 0.01, away: 0.005, lostSave: 0.1),
        ]
    )
    func `a ledger that stands still makes nobody dead`(_ faults: Faults) throws {
        var standstills = 0
        for seed in 0..<Self.countOfMixes / 5 { standstills += try World(seed: seed, faults: faults).run().standstills }
        if Self.countOfMixes >= 1_000 { #expect(standstills > 100) }
    }

    /// A campaign's message is redelivered while some of its shards are settled, run, or wait for a live worker.
    @Test(
        arguments: [
            Faults(isUrgent: true), Faults(lostConfirm: 0.2, terminate: 0.02, isUrgent: true),
            Faults(crash: 0.01, disconnect: 0.02, isUrgent: true, unknown: true),
            Faults(disconnect: 0.05, isPatient: true, isUrgent: true),
            Faults(crash: 0.004, disconnect: 0.02, terminate: 0.01, outage: 0.02, isUrgent: true, known: 0.2),
        ]
    )
    func `the message of an urgent campaign is the lease of all its shards`(_ faults: Faults) throws {
        for seed in 0..<Self.countOfMixes / 10 {
            let report = try World(seed: seed, faults: faults).run()
            if faults.crash + faults.disconnect == 0 { #expect(report.extraSends == 0, "seed \(seed)") }
        }
    }

    /// A person is asked when most requests are refused, whatever other faults occur.
    @Test(
        arguments: [
            Faults(refused: 0.9), Faults(refused: 0.6, isContentFixed: true),
            Faults(lostConfirm: 0.2, duplicate: 0.2, refused: 0.9, isContentFixed: true),
            Faults(crash: 0.004, disconnect: 0.004, terminate: 0.01, pause: 0.01, outage: 0.01, refused: 0.7),
        ]
    )
    func `a campaign whose content is refused stops for a person`(_ faults: Faults) throws {
        var trips = 0
        for seed in 0..<Self.countOfMixes / 10 { trips += try World(seed: seed, faults: faults).run().contentTrips }
        if Self.countOfMixes >= 1_000 { #expect(trips > 30) }
    }

    /// Pieces, missed turns, and shards that lose their turns to a pause.
    @Test(
        arguments: [
            Faults(perSecond: 20), Faults(outage: 0.02, suspect: 0.2, perSecond: 4),
            Faults(lostConfirm: 0.2, duplicate: 0.2, terminate: 0.01, pause: 0.01, quiet: 0.01, perSecond: 24),
            Faults(crash: 0.004, disconnect: 0.004, terminate: 0.01, outage: 0.01, unknown: true, perSecond: 20),
            Faults(lostPublish: 0.1, pause: 0.01, cancel: 0.002, purge: 0.002, expiry: true, perSecond: 20),
        ]
    )
    func `under a rate no second has more than its share`(_ faults: Faults) throws {
        var (slots, turns) = (0, 0)
        for seed in 0..<Self.countOfMixes / 10 {
            let report = try World(seed: seed, faults: faults).run()
            slots += report.slots
            turns += report.turns
            if faults.crash + faults.disconnect == 0 { #expect(report.extraSends == 0, "seed \(seed)") }
        }
        if Self.countOfMixes >= 1_000 { #expect(min(slots, turns) > 1_000) }
    }

    /// A failure names its seed: `FANFARE_SEED` replays it.
    @Test func `D2: campaigns of fresh seeds lose nothing and count nothing twice either`() throws {
        let first = UInt64.random(in: 1_000_000..<UInt64.max / 2)
        let seeds = first..<first + UInt64(Sanitizer.rounds(50))
        print("simulation: \(seeds.count) fresh seeds from \(first)")
        for seed in seeds { _ = try World(seed: seed, faults: .of(seed: seed)).run() }
    }

    @Test func `a seed gives the same campaign again`() throws {
        let first = try World(seed: 77, faults: .rough).run()
        let second = try World(seed: 77, faults: .rough).run()
        #expect("\(first)" == "\(second)")
    }

    /// The simulation is only worth something if it detects broken rules.
    @Test(
        arguments: [
            BrokenRule.claimsAlwaysTakeOver, .oneChildPerAttempt, .leaseIgnored, .epochsIgnored, .breakerIgnored,
            .runsNotAwaited, .blindnessIgnored, .quietIgnored, .sharesIgnored, .livingOwnersIgnored, .rowsNotGivenUp,
            .wallClockBelieved,
            .marksIgnored,
        ]
    )
    func `a broken rule is noticed`(_ rule: BrokenRule) {
        let noticed = (0..<1_000 as Range<UInt64>).contains { seed in
            do {
                var faults = seed % 2 == 0 ? Faults.benign : .harsh
                if rule == .livingOwnersIgnored || rule == .rowsNotGivenUp {
                    faults = Faults(disconnect: 0.03, isPatient: true)
                }
                if rule == .breakerIgnored { faults.outage = 0.01 }
                if rule == .wallClockBelieved { faults.clockStep = 0.01 }
                if rule == .sharesIgnored { (faults.pause, faults.isMixed, faults.pauseShare) = (0, true, 0.02) }
                if rule == .marksIgnored { (faults.pause, faults.cancel) = (0, 0.01) }
                if rule == .quietIgnored { (faults.pause, faults.quiet) = (0, 0.02) }
                if rule == .runsNotAwaited || rule == .blindnessIgnored {
                    (faults.pause, faults.supersede) = (0, 0.01)
                    if rule == .blindnessIgnored { (faults.blind, faults.stride) = (0.97, 600) }
                }
                _ = try World(seed: seed, faults: faults, broken: rule).run()
                return false
            } catch {
                return true
            }
        }
        #expect(noticed, "1,000 campaigns without the rule, and nothing was wrong")
    }
}
