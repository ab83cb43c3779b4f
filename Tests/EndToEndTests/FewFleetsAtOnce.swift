import Foundation
import Servers
import Testing

extension Trait where Self == FewFleetsAtOnce {
    /// A suite trait: cases wait for one of a few permits, and those that damage their broker run one after another.
    ///
    /// A fleet mostly waits: for rungs, leases, backoffs. Three at once keep two cores busy and are still scheduled in
    /// time.
    static var fewFleetsAtOnce: Self { Self() }
}

extension Trait where Self == HurtsItsBroker {
    /// Marks a test that kills, freezes or alarms the broker: no other test uses its node meanwhile.
    static var hurtsItsBroker: Self { Self() }
}

/// The mark that ``FewFleetsAtOnce`` reads.
struct HurtsItsBroker: TestTrait {}

struct FewFleetsAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let semaphore = AsyncSemaphore(
        ProcessInfo.processInfo.environment["FANFARE_FLEETS_AT_ONCE"].flatMap { Int($0) } ?? 3
    )
    private static let hurtNode = AsyncSemaphore(1)
    /// The longest time of a case, which ends one that hangs.
    ///
    /// It begins with the permit. `timeLimit` would count the wait as well, and on a slow machine end those that wait.
    private static let limit = Duration.seconds(FullSuite.isOn ? 7200 : 900)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        // First the node, so that nobody who waits for it holds a permit.
        let isHurting = test.traits.contains { $0 is HurtsItsBroker }
        if isHurting { await Self.hurtNode.take() }
        defer { if isHurting { Self.hurtNode.giveBack() } }
        await Self.semaphore.take()
        defer { Self.semaphore.giveBack() }
        try await PrivateBroker.$isHurt.withValue(isHurting) { try await Self.limited(body) }
    }

    private static func limited(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(body) { body in
            try await withThrowingTaskGroup { group in
                group.addTask { try await body() }
                group.addTask {
                    try await lasting(limit)
                    Issue.record("the test has not ended after \(limit)")
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
