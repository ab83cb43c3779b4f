/// Why the ledger could not do what it was asked.
public enum LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no file at the path, and this command does not create one.
    case missing(path: String)
    /// The file cannot be opened or created.
    case unreachable(path: String, detail: String)
    /// The database's server cannot be reached, lets us not in, or was lost; nothing of the transaction was written.
    case disconnected(store: String, detail: String)
    /// The database's server lets us not in; a person must mend `store.url` or what the server allows.
    case refused(store: String, detail: String)
    /// The file is damaged, or no ledger at all. It is never created anew over what is there.
    case damaged(path: String, detail: String)
    /// The file or its folder cannot be written to; the server is a standby or set read-only.
    case readOnly(path: String)
    /// The file was written by a later version of this program.
    case newerVersion(path: String)
    /// Another process held the write lock for longer than the busy time-out.
    case busy(path: String)
    /// The disk is full; nothing of the transaction was written.
    case full(path: String)
    /// Two apps have a campaign of this id.
    case ambiguous(id: String, apps: [String])
    /// The ledger was closed.
    case closed
    /// A body asks for a synced transaction; never leaves the writer.
    case unsynced
    /// A body was only tried; never leaves the ledger.
    case rehearsed
    /// A statement failed: our own mistake, or a disk that does not answer.
    case failed(String)

    /// Whether the ledger has the trouble with everything, and not with what it was asked: it may be over.
    public var isOfLedger: Bool {
        switch self {
        case .busy, .closed, .damaged, .disconnected, .full, .missing, .newerVersion, .readOnly, .refused,
            .unreachable:
            true
        case .ambiguous, .failed, .rehearsed, .unsynced: false
        }
    }

    /// What is wrong, where, and how to mend it.
    public var description: String {
        switch self {
        case .missing(let path):
            "there is no ledger at \(path); start a worker or the server, which create it, or give another store.url"
        case .unreachable(let path, let detail):
            "the ledger \(path) cannot be opened: \(detail); check the folder and its permissions"
        case .disconnected(let store, let detail): "the ledger \(store) cannot be reached: \(detail)"
        case .refused(let store, let detail): "the ledger \(store) lets us not in: \(detail)"
        case .damaged(let path, let detail):
            "the ledger \(path) is damaged or no ledger: \(detail); it is left as it is, restore a backup"
        case .readOnly(let path) where path.contains("://"):
            "the ledger \(path) takes no writes: it is a standby, or set read-only; name all hosts in store.url"
        case .readOnly(let path): "the ledger \(path) cannot be written to; check the permissions of file and folder"
        case .newerVersion(let path): "the ledger \(path) was written by a later version; update this program"
        case .busy(let path): "another process keeps the ledger \(path) locked; try again"
        case .full(let path): "the disk of the ledger \(path) is full; make room, nothing is lost"
        case .ambiguous(let id, let apps):
            "several apps have a campaign \(id): say \(apps.map { "\($0)/\(id)" }.joined(separator: " or "))"
        case .closed: "the ledger is closed"
        case .unsynced: "the transaction is not synced"
        case .rehearsed: "the transaction was only tried"
        case .failed(let detail): "the ledger failed: \(detail)"
        }
    }
}
