/// Why a ledger file was not backed up or restored; nothing that was there is changed then.
public enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is something at the place where the copy is to go.
    case exists(path: String)
    /// The copy is damaged or no ledger.
    case damaged(path: String, detail: String)
    /// A process has the ledger open that is to be replaced.
    case inUse(path: String)
    /// The ledger itself.
    case ledger(LedgerError)
    /// A file cannot be moved or written.
    case file(path: String, detail: String)

    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .exists(let path): "\(path) exists; a backup never replaces a file: give another name"
        case .damaged(let path, let detail): "\(path) is damaged or no ledger: \(detail); take another backup"
        case .inUse(let path):
            "a process has the ledger \(path) open; stop all workers and commands that use it, then restore"
        case .ledger(let error): error.description
        case .file(let path, let detail): "\(path): \(detail)"
        }
    }
}
