/// A reason why a ledger file was not backed up or restored; existing files are then unchanged.
public enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The destination of the copy exists.
    case exists(path: String)
    /// The copy is damaged or not a ledger.
    case damaged(path: String, detail: String)
    /// A process has the ledger open that is to be replaced.
    case inUse(path: String)
    /// An error of the ledger itself.
    case ledger(LedgerError)
    /// A file cannot be moved or written.
    case file(path: String, detail: String)

    /// The problem and how to fix it.
    public var description: String {
        switch self {
        case .exists(let path): "\(path) exists; a backup never replaces a file: give another name"
        case .damaged(let path, let detail): "\(path) is damaged or not a ledger: \(detail); take another backup"
        case .inUse(let path):
            "a process has the ledger \(path) open; stop all workers and commands that use it, then restore"
        case .ledger(let error): error.description
        case .file(let path, let detail): "\(path): \(detail)"
        }
    }
}
