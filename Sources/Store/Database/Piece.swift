import Delivery

/// A piece of work within a transaction, measured by a clock.
///
/// Made by the body, so that one that is run again begins anew.
public struct Piece {
    private var rule = WorkPiece()
    private let elapsed: () -> Duration

    /// A piece that begins now.
    public init() {
        let begun = ContinuousClock.now
        elapsed = { ContinuousClock.now - begun }
    }

    /// A piece by another clock, which says how long ago it began.
    public init(elapsed: @escaping () -> Duration) {
        self.elapsed = elapsed
    }

    /// Rows that the next step may do; 0 when the piece is over.
    var allowance: Int { rule.allowance }

    /// A step of so many rows is over.
    mutating func did(_ rows: Int) { rule.did(rows, elapsed: elapsed()) }
}
