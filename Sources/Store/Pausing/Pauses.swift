public import Campaigns
public import Delivery

/// An operator's pause of more than one campaign.
public struct PauseRecord: Sendable, Equatable {
    /// What it holds back.
    public var scope: PauseScope
    /// Since when.
    public var since: Timestamp
}

/// Pauses by app, provider and urgency: rows of their own, so that campaigns which are accepted later are held back as
/// well, and a campaign's own reasons stay what they are.
extension LedgerTransaction {
    /// Holds back what fits in the scope until `resume(_:)` (use `synced`); what runs is told by the next poll.
    ///
    /// Returns whether that is new.
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

    /// Takes every pause away that the scope covers (use `synced`); returns them.
    ///
    /// Wider ones stay: they hold back more than was meant.
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
    /// What it names, for the history.
    fileprivate var words: KeyValuePairs<String, JSONValue?> {
        ["provider": provider.map { .string($0.rawValue) }, "urgency": urgency.map { .string($0.rawValue) }]
    }
}

extension LedgerReader {
    /// All pauses, the oldest first.
    public func pauses() throws(LedgerError) -> [PauseRecord] {
        let rows = try db.rows(
            "SELECT app, provider, urgency, since FROM pauses ORDER BY since, app, provider, urgency"
        )
        var pauses: [PauseRecord] = []
        while try rows.next() {
            let words = [rows.text(0), rows.text(1), rows.text(2)].map { $0.isEmpty ? nil : $0 }
            let scope = PauseScope(
                app: words[0],
                provider: words[1].map { ProviderName(rawValue: $0) },
                urgency: words[2].flatMap { Urgency(rawValue: $0) }
            )
            pauses.append(PauseRecord(scope: scope, since: rows.time(3)))
        }
        return pauses
    }
}
