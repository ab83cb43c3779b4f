import Campaigns
import Delivery
import Store
import Synchronization
import Testing

@Suite(.fewLedgersAtOnce)
struct DeviceResultTests {
    private let scratch = ScratchLedger()

    private func results(_ ledger: Ledger, _ number: UInt32) async throws -> [DeviceResult] {
        let found = Mutex<[DeviceResult]>([])
        try await ledger.devices(campaign: number) { device in found.withLock { $0.append(device) } }
        return found.withLock { $0 }
    }

    @Test(arguments: TestDatabase.all) func `each device has its last outcome and the requests of all attempts`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([3, 2]))
        _ = try await ledger.planned(number, max: 1)
        let (_, first) = try await ledger.running(key(number, 0))
        let failed = try Settlement.of(
            .accepted(3) { progress in
                progress.retry(1, .seconds5, Progress.Note(reason: "Shutdown", requests: 2))
                progress.retry(2, .seconds5, Progress.Note(reason: "Shutdown"))
            }
        )
        _ = try await ledger.write(scope: .shards) { try $0.settle(first, failed, now: .start) }
        let waiting = try await results(ledger, number)
        #expect(waiting.map(\.outcome) == [.accepted, nil, nil, nil, nil])
        #expect(waiting.map(\.requests) == [1, 2, 1, 0, 0])

        let (_, second) = try await ledger.running(key(number, 0, 1))
        let last = try Settlement.of(
            .accepted(2) { $0.end(1, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start)) },
            attempt: 2
        )
        _ = try await ledger.write(scope: .shards) { try $0.settle(second, last, now: .start) }
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        let all = try await results(ledger, number)
        #expect(all.map(\.outcome) == [.accepted, .accepted, .invalid, .cancelled, .cancelled])
        #expect(all.map(\.requests) == [1, 3, 2, 0, 0])
        #expect(all.map(\.index) == [0, 1, 2, 3, 4])
        #expect(all.map(\.id) == ["device-0", "device-1", "device-2", nil, nil])
        #expect(all.map { Array($0.token) } == (0..<5).map { Sample.token($0) })
        #expect(all.map(\.reason) == [nil, "Shutdown", "Unregistered", nil, nil])
        let status = try await ledger.status(number)
        #expect(all.reduce(0) { $0 + $1.requests } == status.attempts)
    }

    @Test(arguments: TestDatabase.all) func `a campaign of many chunks is walked page by page`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 3, count: 35)))
        let all = try await results(ledger, number)
        #expect(all.map(\.index) == Array(0..<105))
        #expect(try await results(ledger, number + 1).isEmpty)
    }
}
