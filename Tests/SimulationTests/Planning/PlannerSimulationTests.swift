import Campaigns
import Delivery
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Planners of several campaigns on the shipping state machine: they die, freeze, fail and lose their clocks.
///
/// `FANFARE_SEED=n` replays one seed, `FANFARE_SEEDS=n` runs a tenth as many.
@Suite struct PlannerSimulationTests {
    private static func setting(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: Range<UInt64> {
        if let seed = setting("FANFARE_SEED") { return seed..<seed + 1 }
        return 0..<max(1, (setting("FANFARE_SEEDS") ?? SeedCount.byDefault) / 10)
    }

    @Test func `planners that come and go cut each chunk once, keep their leases, and bring every campaign to its end`()
        throws
    {
        var (crashes, failures, fired, lapsed, lost, superseded) = (0, 0, 0, 0, 0, 0)
        var (overlapped, resumed, shared) = (0, 0, 0)
        for seed in Self.seeds {
            if Self.setting("FANFARE_TELL_SEEDS") != nil {
                print("seed \(seed)")
                fflush(nil)
            }
            let report: PlannerWorld.Report
            do {
                report = try PlannerWorld(seed: seed).run()
            } catch {
                throw Violation(description: "seed \(seed), \(error)")
            }
            crashes += report.crashes
            failures += report.failures
            fired += report.fired
            lapsed += report.lapsed
            lost += report.lost
            superseded += report.superseded
            overlapped += report.overlapped
            resumed += report.resumed
            shared += report.shared
        }
        guard Self.seeds.count >= 100 else { return }
        // A simulation in which nothing happens proves nothing.
        #expect(min(crashes, failures, fired, lapsed) > 30 && min(lost, superseded) > 30)
        #expect(min(overlapped, resumed, shared) > 5)
    }
}
