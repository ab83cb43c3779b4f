package import Campaigns
import Foundation
import Settings

/// Shows a campaign's progress: a bar that redraws itself on a terminal, an occasional line elsewhere.
///
/// It decides the text; the command writes it.
package struct ProgressReport: Sendable {
    /// The longest time without a line, when there is no terminal.
    private static let lineInterval = Duration.seconds(10)

    private let style: Style
    private var last: (view: CampaignStatusView, at: Timestamp)?

    /// The kind of output.
    package enum Style: Sendable, Equatable {
        /// A terminal with a number of columns.
        case bar(columns: Int)
        /// A file, a pipe, a build log.
        case lines
    }

    /// Creates a report that has shown nothing yet.
    package init(style: Style) {
        self.style = style
    }

    /// Returns the text for a campaign's present state; nil when there is nothing new.
    package mutating func update(_ view: CampaignStatusView, now: Timestamp) -> String? {
        switch style {
        case .bar(let columns):
            last = (view, now)
            return "\r\u{1B}[2K" + Self.bar(view, columns: columns, now: now)
        case .lines:
            guard isWorthALine(view, now: now) else { return nil }
            last = (view, now)
            return Self.line(view, now: now) + "\n"
        }
    }

    /// Returns the text that ends the report: the bar stays on the screen.
    package mutating func finish() -> String {
        defer { last = nil }
        return style == .lines || last == nil ? "" : "\n"
    }

    private func isWorthALine(_ view: CampaignStatusView, now: Timestamp) -> Bool {
        guard let last else { return true }
        // The words of a reason change with its numbers, and would be a line at every look.
        if last.view.state != view.state || last.view.stateCodes != view.stateCodes { return true }
        if last.view == view { return false }
        let tenth = max(1, view.audience / 10)
        return last.view.outcomes.total / tenth != view.outcomes.total / tenth
            || now.since(last.at) >= Self.lineInterval
    }

    /// `news/derby: sending, 63,000 of 100,000 (63.0 %), 21,000/s, 2 s left, accepted 61,000, invalid 2,000`.
    static func line(_ view: CampaignStatusView, now: Timestamp) -> String {
        let reason = view.stateReason.map { " (\($0))" } ?? ""
        let parts = ["\(view.app)/\(view.id): \(view.state)\(reason)"] + facts(view, now: now)
        return TerminalText.safe(parts.joined(separator: ", "))
    }

    /// `[########----------------]  63.0 %  63,000 of 100,000  21,000/s  2 s left  …`, no wider than the terminal.
    static func bar(_ view: CampaignStatusView, columns: Int, now: Timestamp) -> String {
        let width = min(30, max(10, columns / 4))
        let share = view.audience > 0 ? Double(view.outcomes.total) / Double(view.audience) : 0
        let filled = min(width, Int(share * Double(width)))
        let bar = "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
        let state = view.state + (view.stateReason.map { " (\($0))" } ?? "")
        let text = ([bar, state] + facts(view, now: now)).joined(separator: "  ")
        // The last column stays free: a terminal that wraps there would leave a line behind at every redraw.
        return String(TerminalText.safe(text).prefix(max(0, columns - 1)))
    }

    private static func facts(_ view: CampaignStatusView, now: Timestamp) -> [String] {
        let done = "\(NumberText.grouped(view.outcomes.total)) of \(NumberText.grouped(view.audience))"
        let percent = NumberText.percent(view.outcomes.total, of: view.audience)
        var facts = [percent.isEmpty ? done : "\(done) (\(percent))"]
        if let estimate = view.estimate { facts.append("\(estimate.text) in all") }
        if let rate = view.rate, !view.isFinished { facts.append("\(NumberText.grouped(rate))/s") }
        if let eta = view.etaAt, !view.isFinished { facts.append("\(DurationText.spoken(eta.since(now))) left") }
        facts += Outcome.allCases.filter { view.outcomes[$0] > 0 }.map {
            "\($0.name) \(NumberText.grouped(view.outcomes[$0]))"
        }
        if view.pending.retrying > 0 { facts.append("retrying \(NumberText.grouped(view.pending.retrying))") }
        if view.pending.parked > 0 { facts.append("parked \(NumberText.grouped(view.pending.parked))") }
        return facts
    }
}

extension Terminal {
    /// The style of progress on standard output: a bar on a terminal, lines elsewhere and on dumb terminals.
    package static var progressStyle: ProgressReport.Style {
        let kind = ProcessInfo.processInfo.environment["TERM"]
        guard isOutputTerminal, kind != "dumb" else { return .lines }
        return .bar(columns: columns)
    }

    /// The terminal's width; 80 if it is unknown.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
