public import Campaigns

/// What a device costs, as `fanfare bench` measures it; microseconds of CPU.
public struct CapacityMetrics: Sendable, Equatable {
    /// A worker with all roles, for a push, by scenario of the bench (`cpu_us` of `sending`, `fcm`).
    public var push: [String: Double]
    /// What the one thread that writes the ledger has of it (`ledger_us` of `sending`).
    public var ledger: Double
    /// Where the figures are from.
    public var source: String

    /// What was measured where this is developed.
    public static let measured = CapacityMetrics(
        push: ["sending": 2.9, "fcm": 5.9],
        ledger: 0.4,
        source: "measured on two cores of a shared virtual machine (Intel Xeon, 2.50 GHz), 2026-11-22"
    )

    /// Figures.
    public init(push: [String: Double], ledger: Double, source: String) {
        self.push = push
        self.ledger = ledger
        self.source = source
    }

    /// Those of a bench of one's own, and what it has not measured from ``measured``; nil for a document that is none.
    public init?(bench document: JSONValue, source: String) {
        guard let scenarios = document["scenarios"]?.array else { return nil }
        func metric(_ scenario: String, _ name: String) -> Double? {
            let metrics = scenarios.first { $0["scenario"]?.string == scenario }?["figures"]?.array
            guard case .number(let number) = metrics?.first(where: { $0["name"]?.string == name })?["value"] else {
                return nil
            }
            return number.double
        }
        self = .measured
        self.source = source
        for scenario in push.keys { push[scenario] = metric(scenario, "cpu_us") ?? push[scenario] }
        ledger = metric("sending", "ledger_us") ?? ledger
    }
}
