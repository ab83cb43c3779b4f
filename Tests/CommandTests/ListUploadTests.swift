import Campaigns
import Dispatch
import Operations
import Store
import Testing

/// Uploads whose devices are read and built while the ones before them are written.
@Suite struct ListUploadTests {
    private let folder: CommandFolder
    private let ledger: Ledger

    init() throws {
        folder = try CommandFolder()
        ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
    }

    /// Devices of a CSV file without its header, more than one transaction writes for each 50,000.
    private func lines(_ numbers: Range<Int>) -> [UInt8] {
        let tokens = numbers.map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        return Array((tokens.joined(separator: "\n") + "\n").utf8)
    }

    private func begun() async throws -> AudienceStream {
        let stream = try AudienceStream(.csv, app: "news", list: "sport", id: "up-1", to: ledger)
        _ = try await stream.begin()
        try await stream.take(Array("token\n".utf8))
        return stream
    }

    @Test(.timeLimit(.minutes(2))) func `devices are taken while those before them are written`() async throws {
        let stream = try await begun()
        let ledger = ledger
        let (isHeld, mayGoOn) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let holding = Task {
            try await ledger.write { _ in
                isHeld.continuation.finish()
                mayGoOn.wait()
            }
        }
        for await _ in isHeld.stream {}
        // The ledger writes nothing until the next devices are taken, too.
        try await stream.take(lines(0..<60_000))
        try await stream.take(lines(60_000..<90_000))
        #expect(stream.deviceCount == 90_000)
        mayGoOn.signal()
        try await holding.value
        guard case .uploaded(let summary, _) = try await stream.finish() else {
            Issue.record("it was refused")
            return
        }
        #expect(summary.devices == 90_000)
        let list = try #require(try await ledger.read { try $0.lists(app: "news") }.first)
        #expect(list.devices == 90_000 && list.chunks == 180 && list.version == summary.version)
        await ledger.close()
    }

    @Test func `a write that fails after its devices were taken fails the upload at its end`() async throws {
        let stream = try await begun()
        try await stream.take(lines(0..<60_000))
        let isAbandoned = try await ledger.write { try $0.abandonUpload("up-1", app: "news", now: CommandTime.now) }
        #expect(isAbandoned)
        await #expect(throws: UploadProblem.taken(id: "up-1")) { _ = try await stream.finish() }
        #expect(try await ledger.read { try $0.lists(app: "news") }.isEmpty)
        await ledger.close()
    }

    @Test func `a write that fails is told before more is written`() async throws {
        let stream = try await begun()
        #expect(try await ledger.write { try $0.abandonUpload("up-1", app: "news", now: CommandTime.now) })
        try await stream.take(lines(0..<60_000))
        await #expect(throws: UploadProblem.taken(id: "up-1")) { try await stream.take(lines(60_000..<120_000)) }
        try await stream.abandon()
        await ledger.close()
    }
}
