#if PostgreSQL
import CPostgreSQL

/// A failure of a statement or connection, and its remedy.
struct PostgreSQLFailure: Error {
    /// The remedy for a failure.
    enum Remedy {
        /// A new connection: this one is lost, or its server does not accept writes.
        case reconnect
        /// Another try of the transaction, alone: it conflicted with another, or changes more than rows of its shards.
        case alone
        /// Nothing that this process could do at once.
        case none
    }

    var remedy: Remedy
    var error: LedgerError

    /// A statement that must not run beside others was run that way.
    static let isNotOfShards = PostgreSQLFailure(remedy: .alone, error: .failed("not beside others"))

    /// A failure from a server's error, by its SQLSTATE (PostgreSQL, appendix A).
    ///
    /// The server's detail text is left out because it quotes the written values.
    init(state: String, message: String, location: String) {
        let said = "\(message) (\(state))"
        switch state {
        // A shutdown, a crash, a start, or the end of an idle transaction.
        case "57P01", "57P02", "57P03", "57P05", "25P03":
            self.init(remedy: .reconnect, error: .disconnected(store: location, detail: said))
        // The statement's plan is older than the table.
        case "0A000", "26000": self.init(remedy: .reconnect, error: .failed(said))
        // The server was a primary and is a standby now.
        case "25006": self.init(remedy: .reconnect, error: .readOnly(path: location))
        case "40001", "40P01", "23505": self.init(remedy: .alone, error: .failed(said))
        case "55P03", "57014": self.init(remedy: .none, error: .busy(path: location))
        case "53100": self.init(remedy: .none, error: .full(path: location))
        case "42501": self.init(remedy: .none, error: .refused(store: location, detail: said))
        default:
            switch state.prefix(2) {
            case "08": self.init(remedy: .reconnect, error: .disconnected(store: location, detail: said))
            case "53": self.init(remedy: .none, error: .disconnected(store: location, detail: said))
            default: self.init(remedy: .none, error: .failed(said))
            }
        }
    }

    init(remedy: Remedy, error: LedgerError) {
        self.remedy = remedy
        self.error = error
    }

    /// The failure of a connection attempt, from libpq's message, because libpq reports no SQLSTATE here.
    static func connecting(_ message: String, location: String) -> PostgreSQLFailure {
        let lines = message.split(whereSeparator: \.isNewline).map { line in
            line.drop { $0 == " " || $0 == "\t" }
        }
        let detail = lines.joined(separator: "; ")
        let fix = [
            "authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry",
            "certificate", "does not support SSL", "permission denied for database", "is not permitted to log in",
        ]
        if fix.contains(where: { detail.contains($0) }) {
            return PostgreSQLFailure(remedy: .none, error: .refused(store: location, detail: detail))
        }
        if detail.contains("session is read-only") {
            return PostgreSQLFailure(remedy: .reconnect, error: .readOnly(path: location))
        }
        return PostgreSQLFailure(remedy: .reconnect, error: .disconnected(store: location, detail: detail))
    }
}
#endif
