import Campaigns
import Seeds
import Testing

struct TrackingBatchTests {
    private func batch(_ count: Int, _ random: inout SeededRandom) -> TrackingBatch {
        TrackingBatch(
            (0..<count).map { _ in
                let device = TrackedDevice(
                    app: ["news", "shop", "ünïcode"][random.below(3)],
                    campaign: UInt32(truncatingIfNeeded: random.next()),
                    index: UInt32(truncatingIfNeeded: random.next()),
                    registered: Int64(bitPattern: random.next())
                )
                let at = Timestamp(milliseconds: Int64(bitPattern: random.next() >> 20))
                if random.below(4) == 0 {
                    let answers = (0..<random.below(3)).map { question in
                        PollAnswers.Choice(question: "q\(question)", choices: (0..<random.below(4)).map { "c\($0)" })
                    }
                    return .answers(PollAnswers(device: device, answers: answers, at: at))
                }
                return .event(
                    TrackingEvent(
                        device: device,
                        type: TrackedType.allCases[random.below(6)],
                        surface: TrackedSurface.allCases[random.below(3)],
                        detail: ["", "LIKE", "No presenter"][random.below(3)],
                        at: at
                    )
                )
            }
        )
    }

    @Test func `a batch comes out as it went in, and the same batch is the same bytes`() throws {
        var random = SeededRandom(seed: 81)
        for count in [0, 1, 2, 50, 1000] {
            let made = batch(count, &random)
            let bytes = made.encoded()
            #expect(try TrackingBatch(encoded: bytes) == made)
            #expect(try TrackingBatch(encoded: bytes).encoded() == bytes)
        }
    }

    @Test func `a later version is told from garbage, and nothing cut or damaged is half read`() {
        var random = SeededRandom(seed: 82)
        var bytes = batch(20, &random).encoded()
        for cut in 0..<bytes.count {
            #expect(throws: TrackingBatch.Failure.self) { try TrackingBatch(encoded: Array(bytes[..<cut])) }
        }
        #expect(throws: TrackingBatch.Failure.self) { try TrackingBatch(encoded: bytes + [0]) }
        bytes[4] = 2
        #expect(throws: TrackingBatch.Failure.unknownVersion(2)) { try TrackingBatch(encoded: bytes) }
        #expect(throws: TrackingBatch.Failure.malformed("more than 1048576 bytes")) {
            try TrackingBatch(encoded: Array(repeating: 1, count: TrackingBatch.bytesMax + 1))
        }
    }

    @Test func `damaged bytes are refused or read, never trapped on`() {
        var random = SeededRandom(seed: 83)
        let bytes = batch(30, &random).encoded()
        for _ in 0..<5_000 {
            var damaged = bytes
            for _ in 0...random.below(3) {
                damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if let read = try? TrackingBatch(encoded: damaged) {
                #expect((try? TrackingBatch(encoded: read.encoded())) == read)
            }
        }
    }
}
