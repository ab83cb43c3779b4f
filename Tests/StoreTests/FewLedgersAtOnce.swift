import Servers
import Testing

extension Trait where Self == FewLedgersAtOnce {
    /// A suite whose cases wait for one of eight places.
    ///
    /// Swift Testing begins every case at once, and a ledger has threads and half a dozen files: hundreds of them open
    /// together are 1,400 descriptors, and from 1,365 on Foundation's `Process` reads beyond what `readdir` gave it
    /// (6.3.1, `findMaximumOpenFromProcSelfFD`) and takes the whole run with it.
    static var fewLedgersAtOnce: Self { Self() }
}

struct FewLedgersAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let places = Places(8)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        await Self.places.take()
        defer { Self.places.giveBack() }
        try await body()
    }
}
