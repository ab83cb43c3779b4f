#if PostgreSQL
import Foundation
import Servers
import Testing

@testable import Store

struct PostgreSQLOpeningTests {
    private func server() throws -> PrivatePostgreSQL { try PrivatePostgreSQL.shared.get() }

    private func failure(_ url: String, create: Bool = true) -> LedgerError? {
        do throws(LedgerError) {
            _ = try Ledger.open(postgreSQL: url, create: create)
            return nil
        } catch { return error }
    }

    @Test func `who is not let in hears why, and no password is told`() throws {
        let server = try server()
        let refused = [
            "postgresql://fanfare:hunter2@127.0.0.1:\(server.port)/postgres",
            "postgresql://nobody:hunter2@127.0.0.1:\(server.port)/postgres",
            "postgresql://fanfare:p%40ss%20word@127.0.0.1:\(server.port)/nowhere",
            "postgresql://fanfare@127.0.0.1:\(server.port)/postgres",
        ]
        for url in refused {
            guard let error = failure(url), case .refused = error else {
                Issue.record("\(url)")
                continue
            }
            #expect(!error.description.contains("hunter2") && !error.description.contains("p@ss"))
            #expect(!error.description.contains("\n"))
        }
        let port = try LoopbackPorts.free(1)[0]
        guard let error = failure("postgresql://fanfare:hunter2@127.0.0.1:\(port)/x"), case .disconnected = error else {
            Issue.record("connected")
            return
        }
        #expect(error.description.contains("127.0.0.1:\(port)") && !error.description.contains("hunter2"))
    }

    @Test func `a URL that cannot be read is not quoted`() {
        let error = failure("postgresql://fanfare:hunter2@127.0.0.1:port:5/x?nonsense=1")
        #expect(error != nil && error?.description.contains("hunter2") == false)
        #expect(Ledger.problem(ofPostgreSQL: "postgresql://a:hunter2@b/c?nonsense=1")?.contains("hunter2") == false)
        #expect(Ledger.problem(ofPostgreSQL: "postgresql://a@b,c:5433/d?sslmode=verify-full") == nil)
    }

    @Test func `a place names all hosts and no user`() {
        let location = { PostgreSQLAddress($0)?.location }
        #expect(location("postgres://me:secret@db1,db2:5433/news?sslmode=require") == "postgresql://db1,db2:5433/news")
        #expect(location("postgresql://me@db/news") == "postgresql://db/news")
    }

    @Test func `each sort of failure has its remedy`() {
        let failure = { PostgreSQLFailure(state: $0, message: "m", location: "p") }
        #expect(failure("53100").error == .full(path: "p"))
        #expect(failure("25006").error == .readOnly(path: "p") && failure("25006").remedy == .reconnect)
        #expect(failure("53300").error == .disconnected(store: "p", detail: "m (53300)"))
        #expect(failure("40P01").remedy == .alone && failure("40001").remedy == .alone)
        #expect(failure("57P01").remedy == .reconnect && failure("25P03").remedy == .reconnect)
        #expect(failure("42601").error == .failed("m (42601)") && failure("42601").remedy == .none)
    }

    @Test func `a server with no connection left is waited for`() async throws {
        let server = try server()
        let name = try server.createDatabase(template: TestDatabase.template.get())
        try server.execute(
            """
            CREATE ROLE few_\(name) LOGIN PASSWORD 'few' CONNECTION LIMIT 1;
            """
        )
        try server.execute("GRANT ALL ON SCHEMA fanfare TO few_\(name)", database: name)
        try server.execute("GRANT ALL ON ALL TABLES IN SCHEMA fanfare TO few_\(name)", database: name)
        let url = "postgresql://few_\(name):few@127.0.0.1:\(server.port)/\(name)"
        let ledger = try Ledger.open(postgreSQL: url, create: false, timeout: .milliseconds(100))
        try await ledger.write { try $0.eventsPublished([1]) }
        // The writer has the only connection.
        await #expect { _ = try await ledger.read { try $0.revision() } } throws: { error in
            guard case .disconnected(_, let detail) = error as? LedgerError else { return false }
            return detail.contains("too many connections")
        }
        try server.execute("ALTER ROLE few_\(name) CONNECTION LIMIT 2")
        #expect(try await ledger.read { try $0.revision() } == 1)
        await ledger.close()
        try server.dropDatabase(name)
    }
}
#endif
