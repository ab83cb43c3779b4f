/// How much of a change that grows with its data one transaction does: a piece, after which others have their turn.
///
/// A piece is done in steps, each a number of rows. What a row costs is learnt from the steps before, by a clock that is
/// handed in, so that the piece ends in time on a slow disk and on a fast one. Pure; made anew in each transaction.
public struct WorkPiece: Sendable, Equatable {
    /// What a transaction of the control plane may take (design, section 3: nothing costs more than its size).
    public static let longest = Duration.milliseconds(50)
    /// Steps are planned to be over by then, so that one that is twice as slow as those before it is in time as well.
    public static let aim = longest / 2
    /// Rows of the first step, when nobody knows yet what one costs; every piece does as many.
    public static let rowsAtFirst = 50
    /// Rows of a step at most: what one statement reads.
    public static let rowsMax = 2_000

    /// Rows that were done.
    public private(set) var rows = 0
    /// Rows that the next step may do; 0 when the piece is over.
    public private(set) var allowance = rowsAtFirst

    /// A piece that nothing was done of.
    public init() {}

    /// A step is over.
    ///
    /// - Parameters:
    ///   - count: Its rows, which may be more than were allowed when they cannot be told apart.
    ///   - elapsed: Since the piece began.
    public mutating func did(_ count: Int, elapsed: Duration) {
        rows += count
        // Whatever they cost: a small change is never cut.
        guard rows >= Self.rowsAtFirst else {
            allowance = Self.rowsAtFirst - rows
            return
        }
        guard elapsed < Self.aim else {
            allowance = 0
            return
        }
        let left = (Self.aim - elapsed) / elapsed * Double(max(1, rows))
        // Twice the step before at most: the first rows may have been the cheap ones.
        let room = min(max(2 * count, Self.rowsAtFirst), Self.rowsMax)
        allowance = elapsed <= .zero || left >= Double(room) ? room : Int(left)
    }
}
