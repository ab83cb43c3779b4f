import GRDB
import GRDBSQLite

extension LedgerError {
    /// The error of a connection's last call.
    init(connection: OpaquePointer?) {
        let path = sqlite3_db_filename(connection, "main").map { String(cString: $0) } ?? ""
        let detail = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "unknown"
        self.init(code: sqlite3_errcode(connection), detail: detail, path: path)
    }

    /// An error of a body or of GRDB as a ledger's error.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as LedgerError: self = error
        case let error as DatabaseError:
            let code = error.resultCode.rawValue
            self.init(code: code, detail: error.message ?? "code \(code)", path: path)
        default: self = .failed("\(error)")
        }
    }

    init(code: Int32, detail: String, path: String) {
        self =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
            case SQLITE_FULL: .full(path: path)
            case SQLITE_READONLY: .readOnly(path: path)
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, detail: detail)
            case SQLITE_CANTOPEN, SQLITE_PERM: .unreachable(path: path, detail: detail)
            default: .failed(detail)
            }
    }
}
