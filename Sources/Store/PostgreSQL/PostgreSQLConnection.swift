#if PostgreSQL
import CPostgreSQL
import Campaigns
import Delivery

/// One connection to PostgreSQL.
///
/// Its calls block. Confined to the thread that created it.
final class PostgreSQLConnection {
    private let handle: OpaquePointer
    private let location: String
    /// The names of the prepared statements, by their SQL.
    private var statementNames: [RowLocking: [String: String]] = [:]
    /// The first failure in the present transaction.
    private(set) var failure: PostgreSQLFailure?
    /// The number of statements run for the ledger's queries, each a round trip; a test counts those of a claim and a
    /// settlement.
    private(set) var statements = 0
    /// True if nobody else writes during this transaction; otherwise only rows of shards may change.
    private var isAlone = true

    /// Connects and sets up the session.
    init(_ address: PostgreSQLAddress, lockTimeout: Duration) throws(PostgreSQLFailure) {
        let (keywords, values) = address.parameters
        let handle = withCStrings(keywords) { keywords in
            withCStrings(values) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let handle else {
            throw PostgreSQLFailure.connecting("out of memory", location: address.location)
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            PQfinish(handle)
            throw PostgreSQLFailure.connecting(message, location: address.location)
        }
        self.handle = handle
        location = address.location
        // Without a receiver, libpq writes notices to standard error.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        try command(Self.session(lockTimeout))
    }

    deinit { PQfinish(handle) }

    /// The settings that would otherwise depend on the server or the role.
    ///
    /// A reported commit is on disk, and on the synchronous standby if there is one: the acks and publishes that follow
    /// it cannot be taken back. An idle transaction means that its worker hangs.
    private static func session(_ lockTimeout: Duration) -> String {
        let (seconds, attoseconds) = lockTimeout.components
        let milliseconds = max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        return """
            SET search_path = fanfare, pg_temp;
            SET default_transaction_isolation = 'read committed';
            SET default_transaction_deferrable = off;
            SET statement_timeout = '30s';
            SET lock_timeout = \(milliseconds);
            SET idle_in_transaction_session_timeout = '10s';
            SET jit = off;
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') IN ('off', 'local');
            """
    }

    /// True if the connection is lost.
    var isLost: Bool { PQstatus(handle) != CONNECTION_OK }

    // MARK: - The clock

    /// Runs a command whose last result is the server's time, and passes that to the clock.
    func command(_ sql: String, telling clock: LedgerClock) throws(PostgreSQLFailure) {
        let asked = MonotonicClock.now()
        let result = try command(sql)
        guard result.next(), let server = result.text(0).flatMap({ Int64($0) }) else { return }
        let now = MonotonicClock.now()
        clock.heard(ServerClock.Sample(server: Timestamp(milliseconds: server), asked: asked, answered: now))
    }

    /// The query for the server's time.
    static let clockQuery = "SELECT \(milliseconds(of: "clock_timestamp()"))"

    /// The SQL of an instant as the ledger's number.
    static func milliseconds(of instant: String) -> String { "(extract(epoch FROM \(instant)) * 1000)::bigint" }

    // MARK: - Transactions

    /// Runs statements without values, regardless of earlier failures in the transaction; returns their last result.
    @discardableResult
    func command(_ sql: String) throws(PostgreSQLFailure) -> PostgreSQLResult {
        try checked(PQexec(handle, sql))
    }

    /// Resets the state at the beginning of a transaction.
    func begun(alone: Bool) {
        isAlone = alone
        failure = nil
    }

    /// Commits; throws if the server rolled back.
    func commit() throws(PostgreSQLFailure) {
        let result = PQexec(handle, "COMMIT")
        let tag = result.flatMap { PQcmdStatus($0) }.map { String(cString: $0) }
        _ = try checked(result)
        guard tag == "COMMIT" else {
            throw PostgreSQLFailure(remedy: .none, error: .failed("the server rolled back: \(tag ?? "")"))
        }
    }

    /// Rolls back the transaction; has no effect without one.
    func rollback() {
        PQclear(PQexec(handle, "ROLLBACK"))
    }

    // MARK: - Queries

    /// Runs a query of the ledger.
    private func query(
        _ sql: String,
        _ values: [SQLValue],
        _ locking: RowLocking
    ) throws(LedgerError) -> PostgreSQLResult {
        try noting { () throws(PostgreSQLFailure) in
            try runPrepared(try prepared(sql, values, locking: isAlone ? .none : locking), values)
        }
    }

    /// Runs a statement of the ledger that writes rows of this scope.
    private func write(
        _ sql: String,
        _ values: [SQLValue],
        _ scope: Ledger.WriteScope
    ) throws(LedgerError) -> PostgreSQLResult {
        try noting { () throws(PostgreSQLFailure) in
            guard isAlone || scope == .shards else { throw .isNotOfShards }
            return try runPrepared(try prepared(sql, values, locking: .none), values)
        }
    }

    /// Counts a statement, and keeps its failure.
    private func noting(
        _ statement: () throws(PostgreSQLFailure) -> PostgreSQLResult
    ) throws(LedgerError) -> PostgreSQLResult {
        if let failure { throw failure.error }
        statements += 1
        do throws(PostgreSQLFailure) {
            return try statement()
        } catch {
            failure = error
            throw error.error
        }
    }

    /// The name of a prepared statement.
    private func prepared(
        _ sql: String,
        _ values: [SQLValue],
        locking: RowLocking
    ) throws(PostgreSQLFailure) -> String {
        if let known = statementNames[locking]?[sql] { return known }
        let name = "s\(statementNames.values.reduce(0) { $0 + $1.count })"
        let types = values.map { PostgreSQLType.of($0.kind) }
        let text = PostgreSQLText.of(sql, locking: locking)
        _ = try checked(PQprepare(handle, name, text, Int32(types.count), types))
        statementNames[locking, default: [:]][sql] = name
        return name
    }

    private func runPrepared(_ name: String, _ values: [SQLValue]) throws(PostgreSQLFailure) -> PostgreSQLResult {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for value in values {
            switch value {
            case .null: break
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            // A text in PostgreSQL cannot contain NUL.
            case .text(let text):
                bytes.append(contentsOf: text.utf8.contains(0) ? Self.withoutNUL(text) : Array(text.utf8))
            case .blob(let blob): bytes.append(contentsOf: blob)
            }
            ends.append(bytes.count)
        }
        // An empty value needs an address too, because a null pointer means NULL.
        bytes.append(0)
        let result = bytes.withUnsafeBytes { buffer in
            var pointers: [UnsafePointer<CChar>?] = []
            var lengths: [Int32] = []
            var start = 0
            for (value, end) in zip(values, ends) {
                if case .null = value {
                    pointers.append(nil)
                } else {
                    pointers.append(buffer.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) })
                }
                lengths.append(Int32(end - start))
                start = end
            }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQexecPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
        }
        return try checked(result)
    }

    private static func withoutNUL(_ text: String) -> [UInt8] {
        text.utf8.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
    }

    private func checked(_ result: OpaquePointer?) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let status = PQresultStatus(result)
        if let result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return PostgreSQLResult(result) }
        defer { PQclear(result) }
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        if isLost || state == nil {
            let said = PQerrorMessage(handle).map { String(cString: $0) } ?? "the connection is lost"
            var failure = PostgreSQLFailure.connecting(said, location: location)
            // A new connection tells whether the server still admits us.
            failure.remedy = .reconnect
            throw failure
        }
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        throw PostgreSQLFailure(state: state ?? "", message: message ?? "", location: location)
    }
}

extension PostgreSQLConnection: LedgerConnection {
    func rows(_ sql: String, values: [SQLValue], locking: RowLocking) throws(LedgerError) -> Rows {
        Rows(try query(sql, values, locking))
    }

    func testWrite() throws(LedgerError) { try run("INSERT INTO meta (key, value) VALUES ('write_test', 0)") }

    /// Has no effect if nobody else writes.
    func lock(_ sql: String, values: [SQLValue]) throws(LedgerError) {
        if !isAlone { _ = try query(sql, values, .untilCommit) }
    }

    @discardableResult
    func run(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Int {
        try write(sql, values, scope).changes
    }

    func writtenRows(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Rows {
        Rows(try write(sql, values, scope))
    }

    func skipNumbers(of table: String, column: String, count: Int) throws(LedgerError) {
        let sequence = "pg_get_serial_sequence('\(table)', '\(column)')"
        _ = try number("SELECT setval(\(sequence), nextval(\(sequence)) + ?1)", .int(count))
    }
}

/// Lends C strings, followed by a null pointer.
private func withCStrings<Value>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for string in strings {
        starts.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers = starts.map { start in buffer.baseAddress.map { $0 + start } }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { pointers in
            guard let base = pointers.baseAddress else {
                preconditionFailure("an array with an element has an address")
            }
            return body(base)
        }
    }
}
#endif
