package import Campaigns
import PushProviders
package import Store

/// Writes devices into a new version of a list, piece by piece: neither devices nor tokens are all in memory.
///
/// A device that occurs twice (provider and token) is added once. The list is invisible before `finish`; workers
/// remove one that is neither finished nor abandoned after an hour. Confined to one task.
package final class ListUpload {
    /// The most chunks in a transaction: about 2 MB, so that workers on the same ledger need not wait.
    private static let chunksMax = 100
    /// The devices that are looked up in the filter at once.
    private static let batchMax = 8_192

    private let app: String
    private let name: String
    private let ledger: Ledger?
    private let filter: TokenFilter
    private var builder = ListBuilder()
    private var version = ListVersion()
    private var waiting: [ListChunk] = []
    private var number: UInt32?
    private var isOver = false
    /// The devices that were added.
    package private(set) var deviceCount = 0
    /// The duplicates that were left out.
    package private(set) var duplicateCount = 0

    /// The result of an upload.
    package struct Summary: Sendable, Equatable {
        /// The hash of the content.
        package var version: String
        /// Devices in the list.
        package var devices: Int
        /// The duplicates that were left out.
        package var duplicates: Int
        /// True if this version existed before, so that nothing was added.
        package var isKnown: Bool
    }

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - app: The list's app.
    ///   - name: The list's name.
    ///   - ledger: The ledger to write to; without one nothing is written, and `finish` returns what would have been.
    package init(app: String, name: String, to ledger: Ledger?) throws(LedgerError) {
        self.app = app
        self.name = name
        self.ledger = ledger
        filter = try TokenFilter()
    }

    /// Adds devices, in order.
    package func add(_ devices: [Device]) async throws(LedgerError) {
        precondition(!isOver, "an upload takes nothing after its end")
        var start = 0
        while start < devices.count {
            let end = min(start + Self.batchMax, devices.count)
            try await take(devices[start..<end])
            start = end
        }
    }

    /// Makes the list visible, synced.
    package func finish() async throws(LedgerError) -> Summary {
        isOver = true
        for chunk in builder.finish() { try await write(chunk) }
        try await flush()
        var summary = Summary(
            version: version.text,
            devices: deviceCount,
            duplicates: duplicateCount,
            isKnown: false
        )
        guard let ledger else { return summary }
        let (list, name, text, duplicates) = (try await begun(ledger), name, version.text, duplicateCount)
        let record = try await ledger.write(.synced) { transaction in
            try transaction.finishList(list, version: text, duplicates: duplicates, now: ledger.now())
        }
        precondition(record.name == name && record.version == text, "the ledger finished another list")
        summary.isKnown = record.number != list
        return summary
    }

    /// Gives the list up: workers remove what was written.
    package func abandon() async throws(LedgerError) {
        isOver = true
        waiting.removeAll()
        guard let number, let ledger else { return }
        self.number = nil
        try await ledger.write { try $0.abandonList(number) }
    }

    private func take(_ devices: ArraySlice<Device>) async throws(LedgerError) {
        let keys = devices.map { (provider: $0.provider, token: ProviderRegistry.tokens.bytes(of: $0)) }
        let isNew = try filter.areNew(keys)
        for (index, device) in devices.enumerated() {
            guard isNew[index] else {
                duplicateCount += 1
                continue
            }
            deviceCount += 1
            if let chunk = builder.add(device, token: keys[index].token) { try await write(chunk) }
        }
    }

    private func write(_ chunk: ListChunk) async throws(LedgerError) {
        do { try version.add(chunk) } catch { throw .failed("chunk \(chunk.ordinal) of the list \(name): \(error)") }
        guard ledger != nil else { return }
        waiting.append(chunk)
        if waiting.count >= Self.chunksMax { try await flush() }
    }

    private func flush() async throws(LedgerError) {
        guard let ledger, !waiting.isEmpty else { return }
        let (list, chunks) = (try await begun(ledger), waiting)
        waiting.removeAll(keepingCapacity: true)
        try await ledger.write { try $0.appendChunks(chunks, to: list, now: ledger.now()) }
    }

    private func begun(_ ledger: Ledger) async throws(LedgerError) -> UInt32 {
        if let number { return number }
        let (app, name) = (app, name)
        let list = try await ledger.write { try $0.beginList(app: app, name: name, now: ledger.now()) }
        number = list
        return list
    }
}
