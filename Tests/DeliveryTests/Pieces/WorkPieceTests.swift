import Delivery
import Testing

/// The amount of work in one transaction.
@Suite struct WorkPieceTests {
    /// Works until the piece is over; `cost` is the time of a row, by the number already done.
    private func worked(_ cost: (Int) -> Duration) -> (rows: Int, elapsed: Duration, steps: [Int]) {
        var piece = WorkPiece()
        var (elapsed, steps): (Duration, [Int]) = (.zero, [])
        // A piece that never ends is late and is cut off.
        while piece.allowance > 0, elapsed <= WorkPiece.longest * 2 {
            steps.append(piece.allowance)
            for _ in 0..<piece.allowance { elapsed += cost(piece.rows) }
            piece.did(piece.allowance, elapsed: elapsed)
        }
        return (piece.rows, elapsed, steps)
    }

    @Test(arguments: [1, 5, 20, 50, 100, 200, 400])
    func `whatever a row costs, a piece ends in time, and is not far from its aim`(microseconds: Int) {
        let (rows, elapsed, steps) = worked { _ in .microseconds(microseconds) }
        #expect(elapsed <= WorkPiece.longest && elapsed > WorkPiece.aim / 2)
        #expect(rows > 0 && steps.allSatisfy { $0 <= WorkPiece.rowsMax })
    }

    @Test func `rows that become twice as dear do not make it late`() {
        for turn in stride(from: 0, to: 1_000, by: 50) {
            let elapsed = worked { $0 < turn ? .microseconds(30) : .microseconds(60) }.elapsed
            #expect(elapsed <= WorkPiece.longest, "dearer after \(turn) rows")
        }
    }

    @Test func `where a row takes longer than a piece it is one step`() {
        #expect(worked { _ in .milliseconds(60) }.steps == [WorkPiece.rowsAtFirst])
    }

    @Test func `a small change is never cut, whatever it costs`() {
        var piece = WorkPiece()
        for row in 1..<WorkPiece.rowsAtFirst {
            piece.did(1, elapsed: .seconds(row))
            #expect(piece.allowance == WorkPiece.rowsAtFirst - row)
        }
        piece.did(1, elapsed: .seconds(100))
        #expect(piece.allowance == 0)
    }

    @Test func `a clock that stands gives steps of the largest size`() {
        var piece = WorkPiece()
        for _ in 0..<20 { piece.did(piece.allowance, elapsed: .zero) }
        #expect(piece.allowance == WorkPiece.rowsMax)
    }
}
