import Campaigns
import Delivery
import Testing

/// The amount cut in one transaction, and the rows that a chunk becomes.
@Suite struct CutTests {
    // MARK: The amount

    private func taken(_ limit: CutLimit?, _ chunks: [Int]) -> Int {
        guard var limit else { return -1 }
        return chunks.prefix { limit.takes($0) }.count
    }

    @Test func `chunks are cut as long as they have room, and none behind one that has not`() {
        #expect(taken(CutLimit(.unpublished, chunksMax: 9, room: 1000), [500, 500, 1]) == 2)
        var limit = CutLimit(.unpublished, chunksMax: 9, room: 600)
        let isTaken = [500, 200, 100].map { limit?.takes($0) }
        #expect(isTaken == [true, false, false])
        #expect(taken(CutLimit(.unpublished, chunksMax: 9), [500, 500]) == 2)
    }

    @Test func `with something to count there are a few chunks at most, unless all is claimed at once`() {
        let counting = CutLimit.Counting(waitsForFire: false)
        let kinds: [Cut] = [.unpublished, .inTurns(pieceMax: 5), .held, .claimed(by: 7)]
        #expect(kinds.map { CutLimit($0, chunksMax: 99)?.chunks } == [99, 99, 99, 99])
        #expect(kinds.map { CutLimit($0, chunksMax: 99, counting: counting)?.chunks } == [16, 16, 99, 99])
        #expect(CutLimit(.unpublished, chunksMax: 3, counting: counting)?.chunks == 3)
    }

    @Test func `nothing is cut before the fire that is to be counted when it is fired`() {
        let counting = CutLimit.Counting(waitsForFire: true)
        #expect(CutLimit(.held, chunksMax: 9, counting: counting) == nil)
        #expect(CutLimit(.unpublished, chunksMax: 9, counting: counting) != nil)
    }

    @Test func `a campaign begins with whatever is cut but what waits to be fired`() {
        let kinds: [Cut] = [.unpublished, .claimed(by: 7), .held, .inTurns(pieceMax: 5)]
        #expect(kinds.map(\.begins) == [true, true, false, true])
        #expect(kinds.map(\.isReturned) == [true, true, true, false])
    }

    // MARK: Rows

    private func bits(_ positions: Int...) -> DeadBits {
        var bits = DeadBits()
        for position in positions { bits.insert(position) }
        return bits
    }

    private func rows(_ known: KnownDevices = KnownDevices(), as cut: Cut = .unpublished) -> ChunkRows {
        ChunkRows(chunk: 3, count: 5, of: 1, known, as: cut)
    }

    /// Returns a row of all five devices of the chunk.
    private func row(_ state: ShardState, epoch: UInt32 = 0, owner: Int64 = 0, aside: AsideReason? = nil) -> ShardRecord
    {
        var row = Fixtures.row(state, generation: 1, epoch: epoch, aside: aside, owner: owner)
        row.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: 3))
        row.chunk = 3
        return row
    }

    @Test func `a chunk becomes one row: on its way, claimed, or waiting for the fire`() {
        #expect(rows() == rows(KnownDevices(dead: bits(), suspects: bits())))
        #expect(rows().apart == nil && rows().rows == [row(.unpublished)])
        #expect(rows(as: .claimed(by: 7)).rows == [row(.running, epoch: 1, owner: 7)])
        #expect(rows(as: .held).rows == [row(.aside, aside: .held)])
    }

    @Test func `under a rate it becomes pieces that wait for their turns`() {
        let pieces = rows(KnownDevices(dead: bits(1)), as: .inTurns(pieceMax: 2)).rows
        #expect(pieces.map(\.count) == [2, 2, 1] && pieces.map(\.positions) == [[0, 1], [2, 3], [4]])
        #expect(pieces.allSatisfy { $0.state == .aside && $0.aside == .rate && $0.generation == 1 })
        #expect(pieces.map { $0.progress.counts.invalid } == [1, 0, 0])
    }

    @Test func `who is known to be dead, wants nothing or has had enough ends without a request`() {
        let known = KnownDevices(dead: bits(0, 1), optedOut: bits(1, 2), capped: bits(2, 3))
        let progress = rows(known).rows[0].progress
        #expect(progress.state(at: 0) == .outcome(.invalid))
        #expect((1...3).map { progress.state(at: $0) } == [.outcome(.skipped), .outcome(.skipped), .outcome(.skipped)])
        #expect(progress.pendingCount == 1)
        let reasons = (0...3).map { progress.notes[UInt16($0)]?.reason }
        #expect(reasons == ["Unregistered", "OptedOut", "OptedOut", "FrequencyCap"])
        #expect(progress.attempts == 0)
    }

    @Test func `suspects wait apart for all others, but for those that are not sent to anyway`() throws {
        let known = KnownDevices(dead: bits(0), suspects: bits(0, 2, 4), capped: bits(4))
        let rows = rows(known)
        let apart = try #require(rows.apart)
        #expect(apart.positions == [2] && apart.count == 1 && apart.progress == Progress(count: 1))
        #expect(apart.state == .aside && apart.aside == .suspect && apart.id.key.part == ShardKey.suspectPart)
        #expect(rows.rows.map(\.positions) == [[0, 1, 3, 4]])
        #expect(rows.rows[0].progress.state(at: 0) == .outcome(.invalid))
        #expect(rows.rows[0].progress.state(at: 3) == .outcome(.skipped))
        #expect(rows.rows[0].progress.pendingCount == 2)
    }

    @Test func `a chunk of suspects is apart as a whole`() {
        let rows = rows(KnownDevices(suspects: bits(0, 1, 2, 3, 4)))
        #expect(rows.apart?.count == 5 && rows.rows.isEmpty)
    }

    @Test func `a row without a device to be sent to is settled at once, with what is known`() throws {
        let dead = rows(KnownDevices(dead: bits(0, 1, 2, 3, 4))).rows[0]
        let settling = try #require(try ChunkRows.settling(dead))
        #expect(settling.row.state == .settled && settling.settlement.counts.invalid == 5)
        #expect(try ChunkRows.settling(rows(KnownDevices(dead: bits(0, 1, 2, 3))).rows[0]) == nil)
    }
}
