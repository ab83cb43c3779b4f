import NIOCore
import Store
import Synchronization

/// Finds devices by their secrets; lookups that arrive within moments share one read of the ledger.
///
/// May be used from any thread.
final class DeviceLookup: Sendable {
    /// The most devices of one read.
    private static let batchMax = 512
    /// The time that the first lookup waits for others: unnoticeable to a phone, and in a rush one read for dozens.
    private static let gathering = TimeAmount.milliseconds(4)

    private typealias Answer = Result<EdgeDevice?, LedgerError>

    private struct Waiter {
        let hash: [UInt8]
        let continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        var waiting: [Waiter] = []
        var isReading = false
    }

    private let ledger: Ledger
    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ ledger: Ledger, on loop: any EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    /// Returns the device with a secret, by the secret's SHA-256; nil when there is none.
    func device(secretHash hash: [UInt8]) async throws(LedgerError) -> EdgeDevice? {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiter(hash: hash, continuation: continuation))
                defer { state.isReading = true }
                return !state.isReading
            }
            if isFirst { loop.scheduleTask(in: Self.gathering) { Task { await self.readAll() } } }
        }
        return try answer.get()
    }

    /// Reads until no lookup waits.
    private func readAll() async {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(Self.batchMax))
                state.waiting.removeFirst(batch.count)
                if batch.isEmpty { state.isReading = false }
                return batch
            }
            if batch.isEmpty { return }
            let hashes = batch.map(\.hash)
            do throws(LedgerError) {
                let found = try await ledger.read { try $0.devices(secretHashes: hashes) }
                for waiter in batch { waiter.continuation.resume(returning: .success(found[waiter.hash])) }
            } catch {
                for waiter in batch { waiter.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}
