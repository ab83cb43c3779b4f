import Store

/// Counts the devices that got a message, each once; counts that come during a commit are written with the next.
actor GivenCounters {
    private typealias Waiter = CheckedContinuation<Result<Void, LedgerError>, Never>

    private struct Given: Hashable {
        var campaign: UInt32
        var device: Int64
    }

    private let ledger: Ledger
    /// The pairs that the ledger certainly has: a device that opens its app again costs no write.
    private var known: Set<Given> = []
    private var waiting: [(given: [Given], waiter: Waiter)] = []
    private var isWriting = false

    /// The limit of `known`, about 30 MB.
    private static let knownMax = 500_000
    /// The most requests in one transaction.
    private static let most = 1000

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// Counts a device for campaigns; returns when the ledger has it.
    func count(_ campaigns: [UInt32], device: Int64) async throws(LedgerError) {
        let given = campaigns.map { Given(campaign: $0, device: device) }.filter { !known.contains($0) }
        guard !given.isEmpty else { return }
        let result = await withCheckedContinuation { (waiter: Waiter) in
            waiting.append((given, waiter))
            if !isWriting {
                isWriting = true
                Task { await writeAll() }
            }
        }
        try result.get()
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.most))
            waiting.removeFirst(batch.count)
            let given = Array(Set(batch.flatMap(\.given)))
            let rows = given.map { (campaign: $0.campaign, device: $0.device) }
            do throws(LedgerError) {
                try await ledger.write(.normal, priority: .withOthers) { try $0.countGiven(rows) }
                if known.count + given.count > Self.knownMax { known.removeAll(keepingCapacity: true) }
                known.formUnion(given)
                for entry in batch { entry.waiter.resume(returning: .success(())) }
            } catch {
                for entry in batch { entry.waiter.resume(returning: .failure(error)) }
            }
        }
        isWriting = false
    }
}
