package import Campaigns

/// The cost of a device in microseconds of CPU, as `fanfare bench` measures it.
package struct CapacityMetrics: Sendable, Equatable {
    /// The cost of a push in a worker with all roles, by scenario of the bench (`cpu_us` of `sending`, `fcm`).
    ///
    /// No scenario measures `webpush`.
    package var push: [String: Double]
    /// The part of it in the single thread that writes the ledger (`ledger_us` of `sending`).
    package var ledger: Double
    /// The origin of the figures.
    package var source: String

    /// The figures measured by the developers; a Web Push costs a seal of its own (Providers, Web Push).
    package static let measured = CapacityMetrics(
        push: ["sending": 2.9, "fcm": 5.9, "webpush": 100],
        ledger: 0.4,
        source: "measured on two cores of a shared virtual machine (Intel Xeon, 2.50 GHz), 2026-11-22"
    )

    /// Creates figures.
    package init(push: [String: Double], ledger: Double, source: String) {
        self.push = push
        self.ledger = ledger
        self.source = source
    }

    /// Reads the figures of a bench's document, with ``measured`` for what it lacks; nil if it is no such document.
    package init?(bench document: JSONValue, source: String) {
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
