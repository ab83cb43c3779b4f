import CSimulatedProcess

#if canImport(Glibc)
import Glibc
#endif

/// A run of one plan in a process of its own.
///
/// A child is forked for each, so that no run sees what an earlier one left, and a trap in a driver is a finding like
/// any other. The parent has one thread and has run nothing of the simulation itself.
enum SeedRun {
    /// The exit codes of a child.
    private enum Exit {
        static let passed: Int32 = 0
        static let broken: Int32 = 1
    }

    /// Runs a plan; returns true if all laws held.
    static func passes(_ plan: Plan, isPrinted: Bool, isQuiet: Bool) -> Bool {
        fflush(nil)
        let child = simulated_process_fork()
        precondition(child >= 0, "no child process")
        if child == 0 { run(plan, isPrinted: isPrinted, isQuiet: isQuiet) }
        let code = simulated_process_wait(child)
        if code > Exit.broken, !isQuiet { print("seed \(plan.seed): the process ended with \(code)") }
        return code == Exit.passed
    }

    private static func run(_ plan: Plan, isPrinted: Bool, isQuiet: Bool) -> Never {
        simulated_process_begin(plan.seed)
        SeededExecutor.install()
        let world = World(plan, isPrinted: isPrinted)
        let breach = world.run()
        simulated_process_end()
        let trace = String(world.trace.hash, radix: 16)
        let seconds = world.scheduler.now / 1_000_000_000
        if !isQuiet {
            if let breach {
                for line in world.trace.lines.suffix(isPrinted ? 0 : 60) { print(line) }
                print("seed \(plan.seed): BROKEN: \(breach)")
            } else {
                let steps = world.scheduler.steps
                print("seed \(plan.seed): \(steps) steps, \(seconds) s, \(world.observer.summary), trace \(trace)")
            }
        }
        fflush(nil)
        _exit(breach == nil ? Exit.passed : Exit.broken)
    }
}
