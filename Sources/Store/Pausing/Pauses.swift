public import Campaigns
public import Delivery

/// An operator's pause of a scope wider than one campaign.
public struct PauseRecord: Sendable, Equatable {
    /// The scope of the pause.
    public var scope: PauseScope
    /// The instant of the pause.
    public var since: Timestamp
}

/// Pauses by app, provider and urgency have rows of their own. So they also hold back campaigns that are accepted
/// later, and the campaigns' own reasons stay unchanged.
extension LedgerTransaction {
    /// Pauses everything in a scope until `resume(_:)` (use `synced`); running shards learn of it at the next poll.
    ///
    /// Returns true if the pause is new.
    public func pause(
        _ scope: PauseScope,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        let changed = try db.run(
            """
            INSERT INTO pauses (app, provider, urgency, since) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (app, provider, urgency) DO NOTHING
            """,
            .text(scope.app ?? ""),
            .text(scope.provider?.rawValue ?? ""),
            .text(scope.urgency?.rawValue ?? ""),
            .time(now)
        )
        if changed > 0 { try note(.scopePaused, app: scope.app ?? "", by: actor, scope.words, now: now) }
        try bumpRevision()
        return changed > 0
    }

    /// Ends every pause that the scope covers (use `synced`); returns the ended ones.
    ///
    /// Wider pauses stay, because they hold back more than the scope.
    public func resume(
        _ scope: PauseScope,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> [PauseRecord] {
        let ended = try reader.pauses().filter { scope.covers($0.scope) }
        for pause in ended {
            try db.run(
                "DELETE FROM pauses WHERE app = ?1 AND provider = ?2 AND urgency = ?3",
                .text(pause.scope.app ?? ""),
                .text(pause.scope.provider?.rawValue ?? ""),
                .text(pause.scope.urgency?.rawValue ?? "")
            )
            try note(.scopeResumed, app: pause.scope.app ?? "", by: actor, pause.scope.words, now: now)
        }
        try bumpRevision()
        return ended
    }
}

extension PauseScope {
    /// The scope's provider and urgency, for the history.
    fileprivate var words: KeyValuePairs<String, JSONValue?> {
        ["provider": provider.map { .string($0.rawValue) }, "urgency": urgency.map { .string($0.rawValue) }]
    }
}

extension LedgerReader {
    /// All pauses, oldest first.
    public func pauses() throws(LedgerError) -> [PauseRecord] {
        let rows = try db.rows(
            "SELECT app, provider, urgency, since FROM pauses ORDER BY since, app, provider, urgency"
        )
        var pauses: [PauseRecord] = []
        while try rows.next() {
            let words = [rows.text("app"), rows.text("provider"), rows.text("urgency")].map { $0.isEmpty ? nil : $0 }
            let scope = PauseScope(
                app: words[0],
                provider: words[1].map { ProviderName(rawValue: $0) },
                urgency: words[2].flatMap { Urgency(rawValue: $0) }
            )
            pauses.append(PauseRecord(scope: scope, since: rows.time("since")))
        }
        return pauses
    }
}
