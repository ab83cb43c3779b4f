#if PostgreSQL
import Dispatch
import Synchronization

/// A ledger in a PostgreSQL database that the workers of many hosts share.
///
/// Transactions that change only rows of single shards run concurrently; all others run alone. The former hold one
/// advisory lock shared, the latter exclusively (`Decisions.md`, "Who writes beside whom on PostgreSQL").
final class PostgreSQLDriver: LedgerDriver {
    private let address: PostgreSQLAddress
    private let readers: PostgreSQLReaders
    private let writer: PostgreSQLWriter
    private let stopSignal = StopSignal()
    let clock: LedgerClock

    init(_ address: PostgreSQLAddress, timeout: Duration, clock: LedgerClock) {
        self.address = address
        self.clock = clock
        readers = PostgreSQLReaders(address, timeout: timeout, clock: clock)
        writer = PostgreSQLWriter(address, timeout: timeout, stopSignal: stopSignal, clock: clock)
    }

    deinit { readers.close() }

    var location: String { address.location }

    func transact(_ needs: TransactionNeeds, _ body: (LedgerTransaction) throws -> Void) throws(LedgerError) {
        try writer.transact(needs, body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T {
        try await readers.read(body)
    }

    func prepareToStop() {
        stopSignal.give()
    }

    func close() throws(LedgerError) {
        readers.close()
        writer.disconnect()
    }
}

/// A signal that ends waits for an unreachable server.
final class StopSignal: Sendable {
    private let given = Atomic(false)
    private let signal = DispatchSemaphore(value: 0)

    var isGiven: Bool { given.load(ordering: .acquiring) }

    func give() {
        given.store(true, ordering: .releasing)
        signal.signal()
    }

    /// Waits for a duration or until the signal is given.
    func wait(_ duration: Duration) {
        guard !isGiven else { return }
        let (seconds, attoseconds) = duration.components
        let time = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        if signal.wait(timeout: time) == .success { signal.signal() }
    }
}

/// The pauses between attempts to connect: doubled each time, plus up to the same again at random, so that a fleet does
/// not reach a starting server all at once.
struct ConnectBackoff {
    private var step = Duration.milliseconds(50)

    /// The next pause.
    mutating func next() -> Duration {
        defer { step = min(step * 2, .seconds(1)) }
        return step + step * Double.random(in: 0..<1)
    }
}
#endif
