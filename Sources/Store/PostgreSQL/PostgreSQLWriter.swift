#if PostgreSQL

/// The writing connection, and the recovery of transactions whose connection is lost.
///
/// Each transaction first enters its number into this writer's row of `writers`. So the row stays locked until the
/// transaction is over, and contains its number if and only if it was committed. A commit without an answer is looked
/// up afterwards, so a body that was committed never runs again.
// Safety: `LedgerWriter` makes one call at a time on its thread, and the last call after that thread has ended.
final class PostgreSQLWriter: @unchecked Sendable {
    /// The number of failed connection attempts after which an ending process gives up.
    private static let lossesWhenStopping = 3

    private let address: PostgreSQLAddress
    private let timeout: Duration
    private let stopSignal: StopSignal
    /// A random number, not one from a sequence: after a failover, a standby may give out a number twice.
    private let id = Int64.random(in: 1 ... .max)
    private var connection: PostgreSQLConnection?
    private var number: Int64 = 0
    private let clock: LedgerClock

    /// The result of one try.
    private enum Outcome {
        case committed
        /// Nothing was written, and another try would not help.
        case failed(LedgerError)
        /// Nothing was written; another try alone helps.
        case again(LedgerError)
        /// Nothing was written, and the connection is lost.
        case lost(LedgerError)
    }

    init(_ address: PostgreSQLAddress, timeout: Duration, stopSignal: StopSignal, clock: LedgerClock) {
        self.address = address
        self.timeout = timeout
        self.stopSignal = stopSignal
        self.clock = clock
    }

    func disconnect() {
        if let connection { _ = try? connection.command("DELETE FROM writers WHERE id = \(id)") }
        connection = nil
    }

    func transact(
        _ needs: TransactionNeeds,
        _ body: (LedgerTransaction) throws -> Void
    ) throws(LedgerError) {
        var isAlone = !needs.isOfShards
        var triesMax = 10
        var backoff = ConnectBackoff()
        var losses = 0
        let end = ContinuousClock.now + timeout
        while true {
            switch attempt(alone: isAlone, body) {
            case .committed: return
            case .failed(let error): throw error
            case .again(let error):
                isAlone = true
                triesMax -= 1
                if triesMax == 0 { throw error }
            case .lost(let error):
                losses += 1
                let isOver = stopSignal.isGiven ? losses >= Self.lossesWhenStopping : ContinuousClock.now >= end
                if isOver { throw error }
                stopSignal.wait(backoff.next())
            }
        }
    }

    private func attempt(alone: Bool, _ body: (LedgerTransaction) throws -> Void) -> Outcome {
        do throws(PostgreSQLFailure) {
            let connection = try connected()
            try begin(connection, alone: alone)
            do {
                try body(LedgerTransaction(db: connection, isSynced: true))
            } catch {
                return abandon(connection, connection.failure ?? Self.failure(of: error))
            }
            // The body went on after a failure, but the transaction had ended with it.
            if let failure = connection.failure { return abandon(connection, failure) }
            do throws(PostgreSQLFailure) {
                try connection.commit()
                return .committed
            } catch {
                guard connection.isLost || error.remedy == .reconnect else { return abandon(connection, error) }
                self.connection = nil
                return isCommitted(number) ? .committed : .lost(error.error)
            }
        } catch {
            guard let connection else { return error.remedy == .reconnect ? .lost(error.error) : .failed(error.error) }
            return abandon(connection, error)
        }
    }

    private static func failure(of error: any Error) -> PostgreSQLFailure {
        PostgreSQLFailure(remedy: .none, error: error as? LedgerError ?? .failed("\(error)"))
    }

    private func abandon(_ connection: PostgreSQLConnection, _ failure: PostgreSQLFailure) -> Outcome {
        if connection.isLost || failure.remedy == .reconnect {
            self.connection = nil
            return .lost(failure.error)
        }
        connection.rollback()
        if connection.isLost { self.connection = nil }
        return failure.remedy == .alone ? .again(failure.error) : .failed(failure.error)
    }

    // MARK: - Beginning

    private func connected() throws(PostgreSQLFailure) -> PostgreSQLConnection {
        if let connection { return connection }
        let new = try PostgreSQLConnection(address, lockTimeout: timeout)
        connection = new
        return new
    }

    /// Takes the lock, writes this transaction's number and reads the server's clock, in one round trip.
    private func begin(_ connection: PostgreSQLConnection, alone: Bool) throws(PostgreSQLFailure) {
        number += 1
        let lock = alone ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
        try connection.command(
            """
            BEGIN;
            SELECT \(lock)(\(PostgreSQLSchema.lockClass), \(PostgreSQLSchema.writeLock));
            INSERT INTO writers AS w (id, number, at) VALUES (\(id), \(number), clock_timestamp())
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, at = excluded.at
            RETURNING \(PostgreSQLConnection.milliseconds(of: "w.at"))
            """,
            telling: clock
        )
        connection.begun(alone: alone)
    }

    // MARK: - A commit without an answer

    /// Returns true if a transaction was committed whose connection was lost before the answer.
    ///
    /// Asks until a server answers, because nobody may go on or repeat the transaction before that; only the end of the
    /// process comes first. As long as the old connection may still commit, it holds the lock of this writer's row. For
    /// a first transaction, whose row is not visible before its commit, it holds the key instead. So this query writes
    /// the row itself: it waits for the end of the other transaction and finds its result.
    private func isCommitted(_ number: Int64) -> Bool {
        var backoff = ConnectBackoff()
        var losses = 0
        while !stopSignal.isGiven || losses < Self.lossesWhenStopping {
            do throws(PostgreSQLFailure) {
                let result = try connected().command(
                    """
                    INSERT INTO writers AS w (id, number, at) VALUES (\(id), 0, clock_timestamp())
                    ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING w.number
                    """
                )
                guard result.next(), let found = result.text(0).flatMap({ Int64($0) }) else { return false }
                return found == number
            } catch {
                connection = nil
                losses += 1
                stopSignal.wait(backoff.next())
            }
        }
        return false
    }
}
#endif
