import Synchronization
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

/// So many places, and a line of those who wait for one.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.line.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
