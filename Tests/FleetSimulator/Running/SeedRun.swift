import CSimulatedProcess
import TLS

#if canImport(Glibc)
import Glibc
#endif

/// A run of one plan in a process of its own.
///
/// A child is forked for each, so that no run sees what an earlier one left, and a trap in a driver is a finding like
/// any other. The parent has one thread and has run nothing of the simulation itself.
struct SeedRun {
    /// The workers of the run.
    enum Workers {
        /// Couriers, which have no ledger.
        case couriers(TLSClientContext)
        /// Workers as they ship, with their files in this folder.
        case fleet(folder: String)
    }

    let workers: Workers
    /// True if the trace is printed.
    let isPrinted: Bool
    /// True if a law is asked for that is none (`PlantedLaw`).
    let hasPlantedLaw: Bool

    var isFleet: Bool { if case .fleet = workers { true } else { false } }

    /// The exit codes of a child.
    private enum Exit {
        static let passed: Int32 = 0
        static let broken: Int32 = 1
    }

    /// Runs a plan; returns true if all laws held.
    func passes(_ plan: Plan, isQuiet: Bool) -> Bool {
        fflush(nil)
        let child = simulated_process_fork()
        precondition(child >= 0, "no child process")
        if child == 0 { run(plan, isQuiet: isQuiet) }
        let code = simulated_process_wait(child)
        if code > Exit.broken, !isQuiet { print("seed \(plan.seed): the process ended with \(code)") }
        return code == Exit.passed
    }

    private func files(in folder: String) -> FleetFiles {
        do {
            return try FleetFiles.make(
                in: folder,
                broker: FleetWorld.brokerAddress,
                provider: FleetWorld.providerAddress
            )
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private func run(_ plan: Plan, isQuiet: Bool) -> Never {
        simulated_process_begin(plan.seed)
        SeededExecutor.install()
        let printed = isPrinted && !isQuiet
        let (breach, trace, scheduler, summary): (String?, Trace, Scheduler, String)
        switch workers {
        case .couriers(let tls):
            let world = World(plan, tls: tls, isPrinted: printed)
            if hasPlantedLaw { PlantedLaw.plant(in: world.provider, world.observer) }
            (breach, trace, scheduler) = (world.run(), world.trace, world.scheduler)
            summary = world.observer.summary
        case .fleet(let folder):
            // Read here: tables that were filled before the hashing was seeded find nothing any more.
            let world = FleetWorld(plan, files: files(in: folder), isPrinted: printed)
            if hasPlantedLaw { PlantedLaw.plant(in: world.provider, world.observer) }
            (breach, trace, scheduler) = (world.run(), world.trace, world.scheduler)
            summary = world.summary
        }
        simulated_process_end()
        if let breach, !isQuiet {
            for line in trace.lines.suffix(printed ? 0 : 60) { print(line) }
            print("seed \(plan.seed): BROKEN: \(breach)")
        } else if !isQuiet {
            let (seconds, hash) = (scheduler.now / 1_000_000_000, String(trace.hash, radix: 16))
            print("seed \(plan.seed): \(scheduler.steps) steps, \(seconds) s, \(summary), trace \(hash)")
        }
        fflush(nil)
        _exit(breach == nil ? Exit.passed : Exit.broken)
    }
}
