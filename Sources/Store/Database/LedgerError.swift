/// A reason why the ledger could not do its work.
public enum LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No file exists at the path, and this command does not create one.
    case missing(path: String)
    /// The file cannot be opened or created.
    case unreachable(path: String, detail: String)
    /// The database's server is unreachable, was lost or rejects us for now; the transaction wrote nothing.
    case disconnected(store: String, detail: String)
    /// `store.url` is unusable or the server denies access; a person must fix the URL or the server's rules.
    case refused(store: String, detail: String)
    /// The file is damaged or not a ledger. It is never overwritten with a new one.
    case damaged(path: String, detail: String)
    /// The file or its folder cannot be written to; the server is a standby or set read-only.
    case readOnly(path: String)
    /// A later version of this program wrote the file.
    case newerVersion(path: String)
    /// Another process held the write lock for longer than the busy time-out.
    case busy(path: String)
    /// The disk is full; nothing of the transaction was written.
    case full(path: String)
    /// Two apps have a campaign of this id.
    case ambiguous(id: String, apps: [String])
    /// The ledger was closed.
    case closed
    /// A body asks for a synced transaction; this case never leaves the writer.
    case unsynced
    /// The body of a rehearsal was rolled back; this case never leaves the ledger.
    case rehearsed
    /// A statement failed: a bug of ours, or a disk that does not answer.
    case failed(String)

    /// True if the ledger as a whole has a problem, not just this request; the problem may pass.
    public var isOfLedger: Bool {
        switch self {
        case .busy, .closed, .damaged, .disconnected, .full, .missing, .newerVersion, .readOnly, .refused,
            .unreachable:
            true
        case .ambiguous, .failed, .rehearsed, .unsynced: false
        }
    }

    /// The problem, its location and how to fix it.
    public var description: String { fix.map { "\(cause); \($0)" } ?? cause }

    /// The problem and its location.
    public var cause: String {
        switch self {
        case .missing(let path): "there is no ledger at \(path)"
        case .unreachable(let path, let detail): "the ledger \(path) cannot be opened: \(detail)"
        case .disconnected(let store, let detail): "the ledger \(store) cannot be reached: \(detail)"
        case .refused(let store, let detail): "the ledger \(store) cannot be used: \(detail)"
        case .damaged(let path, let detail): "the ledger \(path) is damaged or not a ledger: \(detail)"
        case .readOnly(let path) where path.contains("://"):
            "the ledger \(path) takes no writes: it is a standby, or set read-only"
        case .readOnly(let path): "the ledger \(path) cannot be written to"
        case .newerVersion(let path): "the ledger \(path) was written by a later version"
        case .busy(let path): "another process keeps the ledger \(path) locked"
        case .full(let path): "the disk of the ledger \(path) is full"
        case .ambiguous(let id, let apps):
            "several apps have a campaign \(id): say \(apps.map { "\($0)/\(id)" }.joined(separator: " or "))"
        case .closed: "the ledger is closed"
        case .unsynced: "the transaction is not synced"
        case .rehearsed: "the transaction was only tried"
        case .failed(let detail): "the ledger failed: \(detail)"
        }
    }

    /// The way to fix it; nil where the cause says it.
    public var fix: String? {
        switch self {
        case .missing: "start a worker or the server, which create it, or give another store.url"
        case .unreachable: "check the folder and its permissions"
        case .damaged: "it is left as it is, restore a backup"
        case .readOnly(let path) where path.contains("://"): "name all hosts in store.url"
        case .readOnly: "check the permissions of file and folder"
        case .newerVersion: "update this program"
        case .busy: "try again"
        case .full: "make room, nothing is lost"
        case .ambiguous, .closed, .disconnected, .failed, .refused, .rehearsed, .unsynced: nil
        }
    }
}
