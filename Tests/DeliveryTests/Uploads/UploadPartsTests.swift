import Delivery
import Testing

@Suite struct UploadPartsTests {
    private func decide(_ number: Int, _ digest: UInt8, count: Int, known: UInt8? = nil) -> UploadParts {
        UploadParts.decide(number: number, digest: [digest], count: count, known: known.map { [$0] })
    }

    @Test func `parts come in their order, and each may come again`() {
        #expect(decide(0, 1, count: 0) == .take)
        #expect(decide(0, 1, count: 2, known: 1) == .again)
        #expect(decide(0, 9, count: 2, known: 1) == .differs)
        #expect(decide(3, 1, count: 2) == .tooEarly(next: 2))
        #expect(decide(2, 1, count: 2) == .take)
    }

    @Test func `an upload has no more parts than it may have`() {
        #expect(decide(UploadParts.countMax - 1, 1, count: UploadParts.countMax - 1) == .take)
        #expect(decide(UploadParts.countMax, 1, count: UploadParts.countMax) == .tooMany)
        #expect(UploadParts.bytesMax == 4 << 20)
    }
}
