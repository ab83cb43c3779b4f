import Delivery

/// A piece of work inside a transaction, measured by a clock.
///
/// The body creates it, so a body that runs again starts a new piece.
public struct Piece {
    private var rule = WorkPiece()
    private let elapsed: () -> Duration

    /// A piece that begins now.
    public init() {
        let begun = ContinuousClock.now
        elapsed = { ContinuousClock.now - begun }
    }

    /// A piece with another clock, which returns the time since the piece began.
    public init(elapsed: @escaping () -> Duration) {
        self.elapsed = elapsed
    }

    /// The number of rows that the next step may handle; 0 when the piece is over.
    var allowance: Int { rule.allowance }

    /// Notes that a step has handled so many rows.
    mutating func did(_ rows: Int) { rule.did(rows, elapsed: elapsed()) }
}
