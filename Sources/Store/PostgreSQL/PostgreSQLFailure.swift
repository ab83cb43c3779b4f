#if PostgreSQL
import CPostgreSQL

/// Why a statement or a connection failed, and what is to be done about it.
struct PostgreSQLFailure: Error {
    /// What helps.
    enum Remedy {
        /// A new connection: this one is lost, or its server is none that takes writes.
        case reconnect
        /// The transaction again, beside nobody: it met another one, or changes more than rows of its shards.
        case alone
        /// Nothing that this process could do at once.
        case none
    }

    var remedy: Remedy
    var error: LedgerError

    /// A statement that may not run beside others did.
    static let isNotOfShards = PostgreSQLFailure(remedy: .alone, error: .failed("not beside others"))

    /// What a server said, by the first digits of its SQLSTATE (PostgreSQL, appendix A).
    ///
    /// Its words of detail are left out: they quote what was written.
    init(state: String, message: String, place: String) {
        let said = "\(message) (\(state))"
        switch state {
        // A shutdown, a crash, a start, and the end of an idle transaction.
        case "57P01", "57P02", "57P03", "57P05", "25P03":
            self.init(remedy: .reconnect, error: .disconnected(store: place, detail: said))
        // The plan of a statement is older than the table.
        case "0A000", "26000": self.init(remedy: .reconnect, error: .failed(said))
        // A standby that was a primary.
        case "25006": self.init(remedy: .reconnect, error: .readOnly(path: place))
        case "40001", "40P01", "23505": self.init(remedy: .alone, error: .failed(said))
        case "55P03", "57014": self.init(remedy: .none, error: .busy(path: place))
        case "53100": self.init(remedy: .none, error: .full(path: place))
        case "42501": self.init(remedy: .none, error: .refused(store: place, detail: said))
        default:
            switch state.prefix(2) {
            case "08": self.init(remedy: .reconnect, error: .disconnected(store: place, detail: said))
            case "53": self.init(remedy: .none, error: .disconnected(store: place, detail: said))
            default: self.init(remedy: .none, error: .failed(said))
            }
        }
    }

    init(remedy: Remedy, error: LedgerError) {
        self.remedy = remedy
        self.error = error
    }

    /// Why no connection came about, in libpq's words; it does not give the SQLSTATE.
    static func connecting(_ message: String, place: String) -> PostgreSQLFailure {
        let lines = message.split(whereSeparator: \.isNewline).map { line in
            line.drop { $0 == " " || $0 == "\t" }
        }
        let detail = lines.joined(separator: "; ")
        let fix = [
            "authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry",
            "certificate", "does not support SSL", "permission denied for database", "is not permitted to log in",
        ]
        if fix.contains(where: { detail.contains($0) }) {
            return PostgreSQLFailure(remedy: .none, error: .refused(store: place, detail: detail))
        }
        if detail.contains("session is read-only") {
            return PostgreSQLFailure(remedy: .reconnect, error: .readOnly(path: place))
        }
        return PostgreSQLFailure(remedy: .reconnect, error: .disconnected(store: place, detail: detail))
    }
}
#endif
