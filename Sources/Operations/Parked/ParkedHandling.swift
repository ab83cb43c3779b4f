package import Campaigns
package import Delivery
package import Store

/// A person's decision about a parked message, and its execution.
package struct ParkedHandling: Sendable {
    private let order: ParkedOrder
    private let isDryRun: Bool

    /// Creates the handling of an order; with `isDryRun` nothing is changed, and the lines say what would be.
    package init(order: ParkedOrder, isDryRun: Bool) {
        self.order = order
        self.isDryRun = isDryRun
    }

    /// Executes the order for one message; `publish` publishes a producer's job, and its errors are thrown.
    package func carryOut(
        _ id: Int64,
        in ledger: Ledger,
        publish: (ParkedMessage) async throws -> Void
    ) async throws -> ParkedLine {
        let (order, now) = (order, ledger.now())
        guard let message = try await ledger.read({ try $0.parked(id: id) }) else {
            return ParkedLine(id: id, message: nil, result: .missing, isForeseen: isDryRun)
        }
        var result = try await ledger.read { try $0.foresee(order, id, now: now) }
        if !isDryRun {
            if result == .job {
                try await publish(message)
                // A job that intake has parked again meanwhile stays.
                _ = try await ledger.write(.synced) { try $0.removeParked(message) }
            } else {
                result = try await ledger.write(.synced) { try $0.carryOut(order, id, now: now) }
            }
        }
        return ParkedLine(id: id, message: message, result: result, isForeseen: isDryRun)
    }
}

/// The result for one message.
package struct ParkedLine: Sendable {
    let id: Int64
    let message: ParkedMessage?
    let result: ParkedResult
    let isForeseen: Bool

    /// True if the message is parked as before, or never existed.
    package var isLeft: Bool {
        switch result {
        case .kept, .missing: true
        case .publishedAnew, .ended, .removed, .job: false
        }
    }

    /// One object of `parked replay --json`.
    package var json: JSONValue {
        .object([
            "id": .string(String(id)), "result": .string(word),
            "app": message?.app.map(JSONValue.string) ?? .null,
            "campaign": message?.campaign.map(JSONValue.string) ?? .null,
            "devices": .number(JSONNumber(message?.devices ?? 0)), "dry_run": .bool(isForeseen),
        ])
    }

    /// The result for people, in one line.
    package var text: String {
        let campaign = [message?.app, message?.campaign].compactMap(\.self).joined(separator: "/")
        let devices = message?.devices.map { ", \($0) devices" } ?? ""
        let what = campaign.isEmpty ? devices : " (\(campaign)\(devices))"
        return TerminalText.safe("\(id)\(what): \(isForeseen ? "would be: " : "")\(sentence)")
    }

    private var word: String {
        switch result {
        case .publishedAnew, .job: "replayed"
        case .ended(let outcome): outcome.name
        case .removed: "removed"
        case .kept(let obstacle): obstacle.rawValue
        case .missing: "missing"
        }
    }

    private var sentence: String {
        switch result {
        case .publishedAnew: "sent again"
        case .job: "published again, to be judged anew"
        case .ended(let outcome): "ended \(outcome.name)"
        case .removed: "removed, no device waits for it"
        case .kept(.unknownShard): "still parked, the ledger does not know this shard; nothing is sent for it"
        case .kept(.unreadable): "still parked, this version cannot read it; replay it with the version that wrote it"
        case .missing: "there is no such parked message"
        }
    }
}
