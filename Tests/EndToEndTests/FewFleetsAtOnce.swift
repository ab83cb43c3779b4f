import Foundation
import Servers
import Testing

extension Trait where Self == FewFleetsAtOnce {
    /// A suite whose cases wait for one of few places, and those that hurt their broker for each other.
    ///
    /// A fleet waits more than it works: for rungs, leases, back-offs. Three at once keep two cores busy and still get
    /// their turns in time.
    static var fewFleetsAtOnce: Self { Self() }
}

extension Trait where Self == HurtsItsBroker {
    /// A test that kills, freezes or alarms the broker: it has a node that no other test uses meanwhile.
    static var hurtsItsBroker: Self { Self() }
}

/// A mark, which ``FewFleetsAtOnce`` reads.
struct HurtsItsBroker: TestTrait {}

struct FewFleetsAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let places = Places(
        ProcessInfo.processInfo.environment["FANFARE_FLEETS_AT_ONCE"].flatMap { Int($0) } ?? 3
    )
    private static let hurtNode = Places(1)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        // First the node, so that nobody holds a place who waits for it.
        let isHurting = test.traits.contains { $0 is HurtsItsBroker }
        if isHurting { await Self.hurtNode.take() }
        defer { if isHurting { Self.hurtNode.giveBack() } }
        await Self.places.take()
        defer { Self.places.giveBack() }
        try await PrivateBroker.$isHurt.withValue(isHurting) { try await body() }
    }
}
