package import Campaigns
import Delivery
import Settings

extension CampaignStatusView {
    /// Returns the status for people: state, outcomes, pending devices, reasons, instants.
    package func text(now: Timestamp) -> String {
        var lines = [headline, stateLine(now: now)] + meanings + [""]
        lines.append(outcomeTable)
        if providers.count > 1 { lines += ["", providerTable] }
        if !reasons.isEmpty {
            let shown = Self.sorted(reasons).map { "\(TerminalText.safe($0.key)) \(NumberText.grouped($0.value))" }
            lines += ["", "reasons   " + shown.joined(separator: ", ")]
        }
        if !retries.isEmpty {
            let shown = retries.map { "after \($0.rung) \(NumberText.grouped($0.devices))" }
            let why = Self.sorted(retryReasons).map { "\(TerminalText.safe($0.key)) \(NumberText.grouped($0.value))" }
            let because = why.isEmpty ? "" : " (\(why.joined(separator: ", ")))"
            lines += ["", "retries   " + shown.joined(separator: ", ") + because]
        }
        lines += ["", "requests  " + requests]
        lines += instants
        if !parts.isEmpty { lines += ["", partTable] }
        if let runOf { lines.append(NumberText.padded("run of", to: 10) + TerminalText.safe(runOf)) }
        if let repetition { lines += [""] + repetition.lines }
        if !isLawKept {
            let counted = "\(audience) devices, \(outcomes.total + pending.total) counted"
            lines += ["", "the numbers do not add up: \(lawViolation ?? counted)"]
        }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let name = name.map { ", \"\(TerminalText.safe($0))\"" } ?? ""
        let isInside = !sendsPushes && kind != CampaignKind.inApp.rawValue
        let told = isInside ? ", told of inside the app" : ""
        let kind = kind == CampaignKind.notification.rawValue ? "" : ", \(kind.replacing("_", with: " "))"
        return "\(TerminalText.safe(app))/\(TerminalText.safe(id))\(name)\(kind)\(told)"
    }

    private func stateLine(now: Timestamp) -> String {
        var parts = [state + (stateReason.map { " (\(TerminalText.safe($0)))" } ?? "")]
        if let supersededBy, !stateCodes.contains("superseded") {
            parts.append("superseded by \(TerminalText.safe(supersededBy))")
        }
        if let rate, !isFinished { parts.append("\(NumberText.grouped(rate))/s") }
        if let etaAt, !isFinished { parts.append("done in \(DurationText.spoken(etaAt.since(now)))") }
        if let startedAt, let completedAt {
            parts.append("took \(DurationText.spoken(completedAt.since(startedAt)))")
        }
        return parts.joined(separator: ", ")
    }

    /// The meanings of reasons that the state names by a word only.
    private var meanings: [String] {
        let words = Set(AsideReason.allCases).subtracting([.rate])
        return stateCodes.compactMap { AsideReason(rawValue: $0) }.filter(words.contains).map {
            "\($0.rawValue): \($0.meaning)"
        }
    }

    /// The table of all outcomes, those without devices too, so that two campaigns look alike.
    private var outcomeTable: String {
        var table = TextTable(columns: [.left, .right, .right, .left])
        for outcome in Outcome.allCases {
            table.add([outcome.name, NumberText.grouped(outcomes[outcome]), share(outcomes[outcome]), ""])
        }
        table.add(["pending", NumberText.grouped(pending.total), share(pending.total), pendingText])
        table.add(["audience", NumberText.grouped(audience), "", audienceText])
        return table.text
    }

    /// The words about an audience that is not, or was never, frozen whole; empty for others.
    private var audienceText: String {
        if let estimate { return "so far, \(estimate.text) in all" }
        if isPlanning { return "not known yet" }
        return unexamined.map { "about \(NumberText.grouped($0)) more were never looked at" } ?? ""
    }

    /// The table with a line per provider, for a campaign that has several.
    private var providerTable: String {
        var columns: [(String, TextTable.Alignment)] = [("provider", .left), ("devices", .right)]
        columns += Outcome.allCases.map { ($0.name, .right) } + [("pending", .right), ("", .left)]
        var table = TextTable(columns)
        for provider in providers {
            var cells = [TerminalText.safe(provider.name), NumberText.grouped(provider.audience)]
            cells += Outcome.allCases.map { NumberText.grouped(provider.outcomes[$0]) }
            cells.append(NumberText.grouped(provider.pending.total))
            cells.append(provider.pending.total > 0 ? provider.pausedBy.joined(separator: ", ") : "")
            table.add(cells)
        }
        return table.text
    }

    private var partTable: String {
        var table = TextTable([
            ("part", .left), ("devices", .right), ("unplanned", .right), ("done", .right), ("begins", .left),
            ("ends", .left),
        ])
        for part in parts {
            let number = { (name: String) in Int(part[name]?.integer ?? 0) }
            let done = Outcome.allCases.reduce(0) { $0 + number($1.name) }
            let zone = part["time_zone"]?.string ?? (part["provider"]?.string == nil ? "no zone" : nil)
            table.add([
                [part["provider"]?.string, zone].compactMap { $0 }.joined(separator: " "),
                NumberText.grouped(number("audience")),
                NumberText.grouped(number("unplanned")), NumberText.grouped(done),
                part["release_at"]?.string ?? "", part["expires_at"]?.string ?? "",
            ])
        }
        return table.text
    }

    private func share(_ count: Int) -> String { NumberText.percent(count, of: audience) }

    private var requests: String {
        // The requests of a run that ended without a report are not among `attempts`.
        var parts = [(maybeSent > 0 ? "at least " : "") + NumberText.grouped(attempts)]
        if unknownResent > 0 { parts.append("sent again without an answer \(NumberText.grouped(unknownResent))") }
        if maybeSent > 0 { parts.append("maybe sent besides \(NumberText.grouped(maybeSent))") }
        return parts.joined(separator: ", ")
    }

    private var instants: [String] {
        let named: [(String, Timestamp?)] = [
            ("created", createdAt), ("accepted", acceptedAt), ("started", startedAt), ("retry", nextRetryAt),
            ("completed", completedAt), ("expires", expiresAt),
        ]
        return named.compactMap { name, instant in
            instant.map { NumberText.padded(name, to: 10) + $0.rfc3339 }
        }
    }
}

extension CampaignStatusView {
    /// Returns the live view of `campaign watch`: a bar above the text of `campaign status`.
    package func screen(columns: Int, now: Timestamp) -> String {
        ProgressReport.bar(self, columns: columns, now: now) + "\n\n" + text(now: now) + "\n"
    }
}
