import Delivery
import HTTPTypes
import NIOCore
import Store
import Synchronization
import WebServing

/// A content being fetched: one copy for all its readers.
final class SharedContent: Sendable {
    /// The stored content without its bytes.
    let head: StoredContent
    let bytes: ByteBuffer
    private let load: ProcessLoad

    init(_ content: StoredContent, _ load: ProcessLoad) {
        bytes = ByteBuffer(bytes: content.bytes)
        var head = content
        head.bytes = []
        self.head = head
        self.load = load
        load.change(by: bytes.readableBytes)
    }

    deinit { load.change(by: -bytes.readableBytes) }
}

/// Contents in use; concurrent readers of a content share one read of the ledger.
///
/// May be used from any thread.
final class ContentCache: Sendable {
    private struct Key: Hashable {
        let app: String
        let id: String
        let version: String
    }

    private struct Entry {
        weak var copy: SharedContent?
        var reading: Task<SharedContent?, any Error>?
    }

    private let ledger: Ledger
    private let load: ProcessLoad
    private let entries = Mutex<[Key: Entry]>([:])

    init(_ ledger: Ledger, _ load: ProcessLoad) {
        self.ledger = ledger
        self.load = load
    }

    /// The number of copies in use or being read.
    var count: Int { entries.withLock { $0.values.count { $0.copy != nil || $0.reading != nil } } }

    /// Returns the content of `head`; nil when it has since been removed.
    ///
    /// Throws the ledger's errors, and 503 when the process holds all that it may.
    func content(_ head: StoredContent) async throws -> SharedContent? {
        let key = Key(app: head.app, id: head.id, version: head.version)
        let reading: Task<SharedContent?, any Error>
        switch try found(key, head.byteCount) {
        case .copy(let copy): return copy
        case .reading(let task): reading = task
        }
        return try await reading.value
    }

    private enum Found {
        case copy(SharedContent)
        case reading(Task<SharedContent?, any Error>)
    }

    private func found(_ key: Key, _ byteCount: Int) throws -> Found {
        try entries.withLock { entries in
            if let copy = entries[key]?.copy { return .copy(copy) }
            if let task = entries[key]?.reading { return .reading(task) }
            guard load.room >= byteCount else {
                load.refused(.processMemory)
                throw EdgeRefusal.full
            }
            entries = entries.filter { $0.value.copy != nil || $0.value.reading != nil }
            let task = Task { [ledger, load] in
                defer { self.hasRead(key) }
                let content = try await ledger.read { try $0.content(app: key.app, id: key.id) }
                guard let content else { return SharedContent?.none }
                let copy = SharedContent(content, load)
                self.entries.withLock { $0[key]?.copy = copy }
                return copy
            }
            entries[key] = Entry(reading: task)
            return .reading(task)
        }
    }

    private func hasRead(_ key: Key) { entries.withLock { $0[key]?.reading = nil } }
}

extension EdgeRefusal {
    /// The refusal for lack of memory.
    static let full = EdgeRefusal(
        .serviceUnavailable,
        .unexpectedError,
        "the server is at capacity; try again in a moment",
        headers: [.retryAfter: "1"]
    )
}
