import Campaigns
import Sanitizers
import Testing

@Suite struct ProgressTests {
    private func progress(_ count: Int, with random: inout MutationGenerator) -> Progress {
        var progress = Progress(count: count)
        for position in 0..<count {
            let note = Progress.Note(
                reason: [nil, "Unregistered", "Grund ä"].randomElement(using: &random) ?? nil,
                requests: UInt8.random(in: 0...255, using: &random),
                charged: Bool.random(using: &random),
                notBefore: Bool.random(using: &random) ? Timestamp(milliseconds: -5) : nil,
                deadSince: Bool.random(using: &random) ? Timestamp(milliseconds: 1_800_000_000_000) : nil
            )
            switch Int.random(in: 0..<6, using: &random) {
            case 0: break
            case 1: progress.noteRequests(position, 2)
            case 2: progress.end(position, Outcome.allCases.randomElement(using: &random) ?? .failed, note)
            case 3: progress.retry(position, Rung.allCases.randomElement(using: &random) ?? .seconds5, note)
            default: progress.accept(position)
            }
        }
        progress.started = Int.random(in: 0...count, using: &random)
        return progress
    }

    @Test func `a progress is read as it was packed`() {
        var random = MutationGenerator(seed: 20)
        for count in [0, 1, 2, 3, 63, 64, 65, 499, 500] {
            let progress = progress(count, with: &random)
            #expect(Progress(packed: progress.packed) == progress)
        }
    }

    @Test func `five hundred accepted devices take about 250 bytes`() {
        var progress = Progress(count: 500)
        for position in 0..<500 { progress.accept(position) }
        #expect(progress.packed.count < 260)
    }

    @Test func `counts are of outcomes, pending and retries apart`() {
        var progress = Progress(count: 5)
        progress.accept(0)
        progress.end(1, .invalid, Progress.Note(reason: "Unregistered"))
        progress.retry(2, .minutes2, Progress.Note(reason: "Shutdown", requests: 3))
        progress.noteRequests(3, 1)
        #expect(progress.counts.accepted == 1)
        #expect(progress.counts.total == 2)
        #expect(progress.pendingCount == 2)
        #expect(progress.retryCount == 1)
        #expect(progress.attempts == 1 + 1 + 3 + 1)
        #expect(progress.reasons == ["Unregistered": 1])
        #expect(progress.state(at: 2) == .retry(.minutes2))
        #expect(progress.state(at: 4) == .pending)
    }

    @Test func `bytes cut off or with something left over are no progress`() {
        var random = MutationGenerator(seed: 21)
        let bytes = progress(30, with: &random).packed
        for length in 0..<bytes.count { #expect(Progress(packed: Array(bytes[..<length])) == nil) }
        #expect(Progress(packed: bytes + [0]) == nil)
    }

    @Test func `mutated bytes never trap, and what is read can be used`() {
        var random = MutationGenerator(seed: 22)
        var (read, refused) = (0, 0)
        for _ in 0..<Sanitizer.rounds(5_000) {
            var bytes = progress(Int.random(in: 1...9, using: &random), with: &random).packed
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            guard let progress = Progress(packed: bytes) else {
                refused += 1
                continue
            }
            read += 1
            for position in 0..<progress.count { _ = progress.state(at: position) }
            #expect(
                progress.counts.total + progress.pendingCount + progress.retryCount + progress.heldCount
                    == progress.count
            )
            #expect(Progress(packed: progress.packed) == progress)
        }
        #expect(read > 0 && refused > 0)
    }
}
