package import Campaigns
package import Store

/// A line of `campaign events`.
package struct HistoryView: Sendable {
    private let entry: HistoryEntry
    private let app: String
    private let campaign: String

    /// Creates a view of an entry of a campaign's history.
    package init(_ entry: HistoryEntry, app: String, campaign: String) {
        self.entry = entry
        self.app = app
        self.campaign = campaign
    }

    /// One object of `campaign events --json`.
    package var json: JSONValue {
        .object([
            "seq": entry.sequence.map { .number(JSONNumber($0)) } ?? .null,
            "at": .string(entry.at.rfc3339), "type": .string(entry.kind.rawValue),
            "app": .string(app), "campaign": .string(campaign), "by": .string(entry.actor), "data": entry.data,
        ])
    }

    /// The line for people: `2026-11-20T20:55:01.204Z  paused     reason content, detail …, by ana`.
    package var text: String {
        let word = entry.kind.rawValue.replacing("campaign.", with: "").replacing("_", with: " ")
        let facts = (entry.data.members ?? []).compactMap { member -> String? in
            if member.name == "reasons" { return others }
            if member.name == "errors" { return errors }
            guard let value = Self.text(member.value) else { return nil }
            return "\(member.name.replacing("_", with: " ")) \(value)"
        }
        let actor = entry.actor == HistoryEntry.fleet ? [] : ["by \(entry.actor)"]
        let line = [
            entry.at.rfc3339, NumberText.padded(word, to: 13), (facts + actor).joined(separator: ", "),
        ].joined(separator: "  ")
        return TerminalText.safe(String(line.reversed().drop { $0 == " " }.reversed()))
    }

    /// The problems of a job, in the words of `campaign status`.
    private var errors: String? {
        let problems = (entry.data["errors"]?.array ?? []).compactMap { Problem(json: $0)?.text }
        return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }

    /// The other reasons that it waits for; nil when there are none.
    private var others: String? {
        let reason = entry.data["reason"]?.string
        let words = (entry.data["reasons"]?.array ?? []).compactMap(\.string).filter { $0 != reason }
        guard !words.isEmpty else { return nil }
        return (entry.kind == .resumed ? "still " : "besides ") + words.joined(separator: " and ")
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: "none"
        case .string(let text): text
        case .number(let number): number.integer.map { NumberText.grouped(Int($0)) } ?? value.text
        case .bool, .array, .object: value.text
        }
    }
}
