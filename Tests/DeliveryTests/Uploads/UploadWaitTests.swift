import Delivery
import Testing

@Suite struct UploadWaitTests {
    @Test(arguments: [
        (UploadStanding.underWay, UploadWait.wait), (.complete, .bind), (.gone, .fail),
    ])
    func `a campaign waits for its upload alone, and fails with it`(standing: UploadStanding, decision: UploadWait) {
        #expect(UploadWait.decide(standing, isOver: false) == decision)
        #expect(UploadWait.decide(standing, isOver: true) == .drop)
    }

    @Test func `chunks that the ledger has are skipped, if they are the same`() {
        func place(_ chunks: UInt32, _ byte: UInt8) -> UploadMark { UploadMark(chunks: chunks, digest: [byte]) }
        var resumption = UploadResumption(mark: place(2, 22))
        #expect(resumption.next(place(1, 99)) == .skip)
        #expect(resumption.next(place(2, 22)) == .skip)
        #expect(resumption.next(place(2, 99)) == .differs)
        #expect(resumption.next(place(3, 33)) == .write)
        #expect(!resumption.isEnd(place(1, 11)))
        resumption.wrote(upTo: place(3, 33))
        #expect(resumption.isEnd(place(3, 33)) && !resumption.isEnd(place(3, 99)))
    }
}
