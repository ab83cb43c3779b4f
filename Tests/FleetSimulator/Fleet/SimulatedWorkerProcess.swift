import Fleet
import Logging
import NIOCore
import Store

/// A worker as it ships, in a simulated process: one loop, the ledger on the simulated disk.
///
/// Safety: used by the process's only thread.
final class SimulatedWorkerProcess: @unchecked Sendable {
    let host: SimulatedHost
    private let loop: SimulatedLoop
    private let files: FleetFiles
    private let trace: Trace
    /// The worker once it is up.
    private(set) var worker: Worker?

    init(_ host: SimulatedHost, network: SimulatedNetwork, files: FleetFiles, trace: Trace) {
        self.host = host
        self.files = files
        self.trace = trace
        loop = SimulatedLoop("loop", of: host, network: network)
    }

    /// Starts the worker, and again after a second when it cannot start, as a service manager does.
    func start() {
        host.scheduler.add({ [self] in Task { await run() } }, to: host.jobs)
    }

    private func run() async {
        while worker == nil {
            do {
                worker = try await Worker.start(
                    files.configuration,
                    apps: files.apps,
                    readAt: .now,
                    logger: Logger(label: "worker") { [host, trace] _ in TracedLog(host: host.name, trace: trace) },
                    host: surroundings
                )
            } catch {
                trace.note(host.name, "does not start: \(error)")
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private var surroundings: WorkerHost {
        WorkerHost(
            name: host.name,
            loops: { [loop] _ in loop },
            threads: .callers { [host] in SeededWriter(of: host) },
            answersProbes: false
        )
    }
}
