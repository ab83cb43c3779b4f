import Servers
import Testing

extension Trait where Self == FewLedgersAtOnce {
    /// A suite whose cases wait for one of eight permits.
    ///
    /// Swift Testing begins every case at once, and a ledger has threads and half a dozen files. Hundreds of open
    /// ledgers are 1,400 descriptors. From 1,365 on, Foundation's `Process` reads beyond the entries that `readdir`
    /// returned (6.3.1, `findMaximumOpenFromProcSelfFD`) and crashes the whole run.
    static var fewLedgersAtOnce: Self { Self() }
}

struct FewLedgersAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let semaphore = AsyncSemaphore(8)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        await Self.semaphore.take()
        defer { Self.semaphore.giveBack() }
        try await body()
    }
}
