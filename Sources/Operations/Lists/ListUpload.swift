package import Campaigns
import Delivery
import PushProviders
package import Store

/// Writes devices into a new version of a list, piece by piece: neither devices nor tokens are all in memory.
///
/// While chunks are written, the next devices are taken: an error of a write may be thrown by a later call, at the
/// latest by `finish`.
///
/// A device that occurs twice (provider and token) is added once. The list is invisible before `finish`; workers
/// remove one that is neither finished nor abandoned after an hour. Confined to one task.
///
/// An upload with an id is kept by the ledger when its client goes: given the same devices from the beginning under the
/// same id, it writes only the chunks that the ledger does not have yet (`UploadResumption`).
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
    private var pending = PendingWrite()
    private var number: UInt32?
    private let id: String?
    private var known: UploadRecord?
    private var resumption = UploadResumption(mark: UploadMark(chunks: 0, digest: ListVersion.start))
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
    ///   - id: The id of an upload that may go on after a cut; nil for one that ends with this object.
    ///   - ledger: The ledger to write to; without one nothing is written, and `finish` returns what would have been.
    package init(app: String, name: String, id: String? = nil, to ledger: Ledger?) throws(LedgerError) {
        self.app = app
        self.name = name
        self.id = id
        self.ledger = ledger
        filter = try TokenFilter()
    }

    /// Begins an upload with an id in the ledger, or finds what the ledger has of it; returns the number of chunks.
    ///
    /// Without this call the first chunks begin it. From here on a job may name it.
    @discardableResult
    package func begin() async throws -> Int {
        guard let ledger, let id else { return 0 }
        if let known { return Int(known.mark.chunks) }
        let (app, name) = (app, name)
        let upload = try await ledger.write(.synced) {
            try $0.beginUpload(id, app: app, name: name, start: ListVersion.start, now: ledger.now())
        }
        guard upload.name == name else { throw UploadProblem.otherList(id: id, name: upload.name) }
        known = upload
        resumption = UploadResumption(mark: upload.mark)
        return Int(upload.mark.chunks)
    }

    /// Adds devices, in order.
    package func add(_ devices: [Device]) async throws {
        precondition(!isOver, "an upload takes nothing after its end")
        var start = 0
        while start < devices.count {
            let end = min(start + Self.batchMax, devices.count)
            try await take(devices[start..<end])
            start = end
        }
    }

    /// Makes the list visible, synced.
    package func finish() async throws -> Summary {
        isOver = true
        for chunk in builder.finish() { try await write(chunk) }
        try await flush()
        try await endWrite()
        var summary = Summary(
            version: version.text,
            devices: deviceCount,
            duplicates: duplicateCount,
            isKnown: false
        )
        guard let ledger else { return summary }
        let (name, text, duplicates) = (name, version.text, duplicateCount)
        if let id {
            summary.isKnown = try await finish(id, ledger)
            return summary
        }
        let list = try await begun(ledger)
        let record = try await ledger.write(.synced) { transaction in
            try transaction.finishList(list, version: text, duplicates: duplicates, now: ledger.now())
        }
        precondition(record.name == name && record.version == text, "the ledger finished another list")
        summary.isKnown = record.number != list
        return summary
    }

    /// Gives the list up: workers remove what was written.
    ///
    /// The ledger keeps an upload that has an id for an hour, so that it can go on.
    package func abandon() async throws(LedgerError) {
        isOver = true
        waiting.removeAll()
        // Whoever gives up has an error already, or wants none of it.
        _ = try? await pending.end()
        guard let number, let ledger else { return }
        self.number = nil
        try await ledger.write { try $0.abandonList(number) }
    }

    /// Gives the list up for good, also one that has an id: campaigns that wait for it fail.
    package func discard() async throws(LedgerError) {
        try await abandon()
        guard let id, let ledger else { return }
        let app = app
        _ = try await ledger.write { try $0.abandonUpload(id, app: app, now: ledger.now()) }
    }

    private func take(_ devices: ArraySlice<Device>) async throws {
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

    private func write(_ chunk: ListChunk) async throws {
        do { try version.add(chunk) } catch {
            throw LedgerError.failed("chunk \(chunk.ordinal) of the list \(name): \(error)")
        }
        guard ledger != nil else { return }
        if let id {
            try await begin()
            switch resumption.next(version.place) {
            case .skip: return
            case .differs: throw UploadProblem.differs(id: id)
            case .write: break
            }
        }
        waiting.append(chunk)
        if waiting.count >= Self.chunksMax { try await flush() }
    }

    /// Begins to write the chunks that wait, once those before them are written.
    private func flush() async throws {
        guard let ledger, !waiting.isEmpty else { return }
        try await endWrite()
        let chunks = waiting
        waiting.removeAll(keepingCapacity: true)
        guard let known else {
            let list = try await begun(ledger)
            pending.begin {
                try await ledger.write { try $0.appendChunks(chunks, to: list, now: ledger.now()) }
                return nil
            }
            return
        }
        // A complete upload takes nothing: the file has more devices than it had.
        guard known.standing == .underWay else { throw UploadProblem.differs(id: known.id) }
        let (app, before, after) = (app, resumption.mark, version.place)
        pending.begin {
            let step = try await ledger.write {
                try $0.append(chunks, to: known, app: app, from: before, to: after, now: ledger.now())
            }
            guard step == .done else { throw UploadProblem.taken(id: known.id) }
            return after
        }
    }

    /// Waits until the ledger has what was given to it.
    private func endWrite() async throws {
        if let mark = try await pending.end() { resumption.wrote(upTo: mark) }
    }

    /// Completes an upload that has an id; returns true if the ledger had this version before.
    private func finish(_ id: String, _ ledger: Ledger) async throws -> Bool {
        try await begin()
        guard let known, resumption.isEnd(version.place) else { throw UploadProblem.differs(id: id) }
        guard known.standing == .underWay else { return true }
        let (app, mark, text, duplicates) = (app, version.place, version.text, duplicateCount)
        let record = try await ledger.write(.synced) {
            try $0.finishUpload(
                known,
                app: app,
                at: mark,
                version: text,
                duplicates: duplicates,
                now: ledger.now()
            )
        }
        guard let record else { throw UploadProblem.taken(id: id) }
        return record.number != known.list
    }

    private func begun(_ ledger: Ledger) async throws(LedgerError) -> UInt32 {
        if let number { return number }
        let (app, name) = (app, name)
        let list = try await ledger.write { try $0.beginList(app: app, name: name, now: ledger.now()) }
        number = list
        return list
    }
}
