import Delivery
import Logging
import Store

/// Keeps the registry's index: builds it piece by piece, then applies the marks of devices that change, on one worker
/// of the fleet.
///
/// Runs as one task. An audience is right whatever this does: what the index lacks is walked or marked.
struct IndexKeeper: Sendable {
    /// The time between two looks at the marks.
    private static let pause = Duration.seconds(1)
    /// The pause for other writers after a piece.
    private static let rest = Duration.milliseconds(20)

    let worker: Int64
    let ledger: Ledger
    let logger: Logger

    /// Keeps the index until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                // The pause is jittered, so that workers that were started together do not look together.
                try await Task.sleep(for: Self.pause * Double.random(in: 0.75...1.25))
                while try await step() { try await Task.sleep(for: Self.rest) }
            } catch is CancellationError {
                return
            } catch {
                logger.error("the ledger does not let the registry be indexed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Does a piece; returns false if there is nothing to do, or another worker does it.
    private func step() async throws -> Bool {
        guard try await ledger.read({ try $0.indexHasWork() }) else { return false }
        let worker = worker
        return try await ledger.write(.normal, priority: .withOthers) { transaction in
            guard ledger.standing.verdict != .lost, try transaction.keepsIndex(worker, now: ledger.now()) else {
                return false
            }
            var piece = Piece()
            return try transaction.maintainIndex(&piece)
        }
    }
}
