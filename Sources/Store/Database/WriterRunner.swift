/// The result of a turn of the ledger's writer.
package enum WriterTurn: Sendable, Equatable {
    /// Nothing waits: the next turn is after a wake.
    case idle
    /// The next turn is at once: more may wait.
    case again
    /// The next turn is after this time, or as soon as the pause is ended.
    case pause(Duration)
}

/// The work of a ledger's writer, one call at a time.
package struct WriterWork: Sendable {
    /// Commits what waits.
    package let turn: @Sendable () -> WriterTurn
    /// Goes on after the time of a pause; returns nil if the pause was ended at its last moment, so that
    /// ``WriterRunner/endPause()`` was called or is about to be.
    package let pauseOver: @Sendable () -> WriterTurn?
}

/// Something that has a ledger's writer take its turns.
///
/// All methods may be called from any thread. ``WriterThread`` is the usual one.
package protocol WriterRunner: Sendable {
    /// Takes the work; called once, before all else.
    func start(_ work: WriterWork)
    /// Has the writer take turns until it is idle.
    func wake()
    /// Ends the present pause.
    func endPause()
    /// Has the writer take turns until it is idle once more, and then no longer.
    func end()
}

/// The threads that a ledger in a file works on.
package struct LedgerThreads: Sendable {
    let writer: @Sendable () -> any WriterRunner
    /// True if a read runs on the thread that asks for it.
    let readsOnCaller: Bool

    /// A thread for the writer, and some for reads.
    package static let own = LedgerThreads(writer: { WriterThread() }, readsOnCaller: false)

    /// Threads of the caller's: `writer` makes what runs the writer, and reads run where they are asked for.
    package static func callers(writer: @escaping @Sendable () -> any WriterRunner) -> LedgerThreads {
        LedgerThreads(writer: writer, readsOnCaller: true)
    }
}
