package import Campaigns
package import Delivery
import PushProviders
package import Store

/// A pause of more than one campaign: of an app, a provider, an urgency, or of everything.
package enum FleetPause {
    /// Reads a scope; problems have the pointers of an object with the members `app`, `provider` and `urgency`.
    ///
    /// An unknown name is a problem, because its pause would hold nothing back. `isVisible` tells which apps the author
    /// may know of.
    package static func scope(
        app: String?,
        provider: String?,
        urgency: String?,
        in ledger: Ledger,
        isVisible: (String) -> Bool = { _ in true }
    ) async throws(LedgerError) -> (scope: PauseScope, problems: [Problem]) {
        var (scope, problems) = (PauseScope(app: app), [Problem]())
        if let app {
            let now = ledger.now()
            let known = try await ledger.read { try $0.knownApps(now: now) }
            if !known.contains(app) {
                let names = known.filter(isVisible).sorted().joined(separator: ", ")
                let fix = names.isEmpty ? "it knows none yet" : "it knows \(names)"
                let detail = "the ledger knows no app \(NameRule.shown(app))"
                problems.append(Problem(pointer: "/app", code: .unknownApp, detail: detail, fix: fix))
            }
        }
        if let provider {
            scope.provider = ProviderRegistry.providers.first { $0.name.rawValue == provider }?.name
            if scope.provider == nil {
                let names = ProviderRegistry.providers.map(\.name.rawValue).joined(separator: ", ")
                let detail = "there is no provider \(NameRule.shown(provider))"
                problems.append(Problem(pointer: "/provider", code: .value, detail: detail, fix: "give \(names)"))
            }
        }
        if let urgency {
            scope.urgency = Urgency(rawValue: urgency)
            if scope.urgency == nil {
                let detail = "urgency is urgent or bulk, not \(NameRule.shown(urgency))"
                problems.append(Problem(pointer: "/urgency", code: .value, detail: detail, fix: "give urgent or bulk"))
            }
        }
        return (scope, problems)
    }

    /// Begins a pause; returns true if it is new, and all pauses.
    package static func begin(
        _ scope: PauseScope,
        by actor: String,
        in ledger: Ledger,
        isDryRun: Bool = false
    ) async throws(LedgerError) -> (isNew: Bool, all: [PauseRecord]) {
        let now = ledger.now()
        return try await ledger.order(isDryRun: isDryRun) { transaction in
            (try transaction.pause(scope, by: actor, now: now), try transaction.reader.pauses())
        }
    }

    /// Ends the pauses within a scope; returns them, and those that are left.
    package static func end(
        _ scope: PauseScope,
        by actor: String,
        in ledger: Ledger,
        isDryRun: Bool = false
    ) async throws(LedgerError) -> (ended: [PauseRecord], left: [PauseRecord]) {
        let now = ledger.now()
        return try await ledger.order(isDryRun: isDryRun) { transaction in
            (try transaction.resume(scope, by: actor, now: now), try transaction.reader.pauses())
        }
    }

    /// Returns the document of `pause --json` and of the HTTP API.
    package static func json(_ pauses: [PauseRecord]) -> JSONValue {
        .object(["pauses": list(pauses)])
    }

    /// Returns pauses as an array.
    package static func list(_ pauses: [PauseRecord]) -> JSONValue {
        .array(
            pauses.map { pause in
                .object([
                    "app": pause.scope.app.map(JSONValue.string) ?? .null,
                    "provider": pause.scope.provider.map { .string($0.rawValue) } ?? .null,
                    "urgency": pause.scope.urgency.map { .string($0.rawValue) } ?? .null,
                    "since": .string(pause.since.rfc3339),
                ])
            }
        )
    }
}
