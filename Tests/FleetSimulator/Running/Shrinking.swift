/// Makes a failing plan smaller, as long as it still fails.
enum Shrinking {
    /// Returns a small plan that fails; tries at most `tries` runs.
    static func smallest(of failing: Plan, in run: SeedRun, tries: Int = 200) -> Plan {
        var (best, left) = (failing, tries)
        while left > 0 {
            var next: Plan?
            for plan in best.smaller(isFleet: run.isFleet) where next == nil && left > 0 {
                left -= 1
                if !run.passes(plan, isQuiet: true) { next = plan }
            }
            guard let next else { break }
            best = next
        }
        return best
    }
}
