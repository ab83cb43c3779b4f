#if PostgreSQL
import Foundation
import Servers
import Testing

@testable import Store

/// The effects of a URL's parameters in libpq, against a server with TLS and one without.
@Suite struct SecureConnectionTests {
    private static let name = "db.fanfare.test"

    /// Returns the URL of a database that is on another machine by its name, and here by its address.
    private func url(_ port: Int, _ more: String = "") -> String {
        "postgresql://fanfare:p%40ss%20word@\(Self.name):\(port)/postgres?hostaddr=127.0.0.1\(more)"
    }

    private func failure(_ url: String) -> LedgerError? {
        do throws(LedgerError) {
            _ = try Ledger.open(postgreSQL: url, create: false)
            return nil
        } catch { return error }
    }

    private func refusal(_ url: String) -> String {
        guard case .refused(_, let detail) = failure(url) else {
            Issue.record("not refused: \(failure(url) as Any)")
            return ""
        }
        return detail
    }

    @Test func `a database elsewhere proves its name before it gets the password`() throws {
        let server = try PrivatePostgreSQL()
        defer { server.remove() }
        // A server that refuses TLS; any password would be wrong, and none is asked for.
        let plain = refusal(url(server.port).replacing("p%40ss%20word", with: "hunter2"))
        #expect(plain.contains("does not support SSL"), "\(plain)")
        let log = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
        #expect(!log.contains("authentication failed"))
        // The operator's explicit setting has priority.
        #expect(
            failure(url(server.port, "&sslmode=disable"))
                == .missing(path: "postgresql://\(Self.name):\(server.port)/postgres")
        )

        let certificate = try server.secure(as: Self.name)
        let other = try PrivatePostgreSQL()
        defer { other.remove() }
        let stranger = try other.secure(as: Self.name)
        #expect(refusal(url(server.port)).contains("certificate verify failed"))
        #expect(refusal(url(server.port, "&sslrootcert=\(stranger)")).contains("certificate verify failed"))
        let known = url(server.port, "&sslrootcert=\(certificate)")
        #expect(failure(known) == .missing(path: "postgresql://\(Self.name):\(server.port)/postgres"))
        // The right authority but another name.
        let wrong = known.replacing(Self.name, with: "db2.fanfare.test")
        #expect(refusal(wrong).contains("does not match host name"))
    }

    @Test func `what the URL and the environment say goes before the default`() throws {
        func parameter(_ name: String, _ url: String, _ environment: [String: String] = [:]) -> String? {
            guard let all = PostgreSQLAddress(url, environment: environment)?.parameters else { return nil }
            return zip(all.keywords, all.values).first { $0.0 == name }?.1
        }
        #expect(parameter("sslmode", "postgresql://a@db/x") == "verify-full")
        #expect(parameter("sslrootcert", "postgresql://a@db/x") == "/etc/ssl/certs/ca-certificates.crt")
        #expect(parameter("sslrootcert", "postgresql://a@db/x?sslrootcert=own.pem") == nil)
        #expect(parameter("sslrootcert", "postgresql://a@db/x", ["PGSSLROOTCERT": "own.pem"]) == nil)
        #expect(parameter("sslmode", "postgresql://a@db/x", ["PGSSLMODE": "require"]) == "require")
        #expect(parameter("sslmode", "postgresql:///x", ["PGHOST": "db"]) == "verify-full")
        for local in ["postgresql:///x", "postgresql://a@127.0.0.1/x", "postgresql://%2Frun%2Fpostgresql/x"] {
            #expect(parameter("sslmode", local) == nil)
        }
    }
}
#endif
