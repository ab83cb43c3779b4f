/// The part of a change that one transaction makes when the change grows with its data; then others have their turn.
///
/// A piece is done in steps, each a number of rows. The cost of a row is learned from the earlier steps, by a clock
/// that the caller passes, so that the piece ends in time on a slow disk and on a fast one. Pure; made anew in each
/// transaction.
public struct WorkPiece: Sendable, Equatable {
    /// The time that a transaction of the control plane may take (design, section 3: nothing costs more than its size).
    public static let longest = Duration.milliseconds(50)
    /// The time by which steps are planned to be over, so that a step twice as slow as those before it is in time too.
    public static let aim = longest / 2
    /// The rows of the first step, when the cost of a row is still unknown; every piece does at least this many.
    public static let rowsAtFirst = 50
    /// The largest number of rows in a step: what one statement reads.
    public static let rowsMax = 2_000

    /// The number of rows done.
    public private(set) var rows = 0
    /// The number of rows that the next step may do; 0 if the piece is over.
    public private(set) var allowance = rowsAtFirst

    /// A piece that has not begun.
    public init() {}

    /// Notes that a step is over.
    ///
    /// - Parameters:
    ///   - count: The step's rows, which may exceed the allowance if they cannot be told apart.
    ///   - elapsed: The time since the piece began.
    public mutating func did(_ count: Int, elapsed: Duration) {
        rows += count
        // The first rows are done whatever they cost: a small change is never cut.
        guard rows >= Self.rowsAtFirst else {
            allowance = Self.rowsAtFirst - rows
            return
        }
        guard elapsed < Self.aim else {
            allowance = 0
            return
        }
        let left = (Self.aim - elapsed) / elapsed * Double(max(1, rows))
        // At most twice the step before: the first rows may have been the cheap ones.
        let room = min(max(2 * count, Self.rowsAtFirst), Self.rowsMax)
        allowance = elapsed <= .zero || left >= Double(room) ? room : Int(left)
    }
}
