package import Campaigns
import Settings

/// Shows an upload's progress: a bar that redraws itself on a terminal, an occasional line elsewhere.
///
/// It decides the text; the command writes it.
package struct UploadReport: Sendable {
    /// The shortest time between two bars.
    private static let barInterval = Duration.milliseconds(100)
    /// The shortest time between two lines, when there is no terminal.
    private static let lineInterval = Duration.seconds(10)

    private let style: ProgressReport.Style
    private let begunAt: Timestamp
    private var toldAt: Timestamp?
    private var devices = RateMeter()
    private var bytes = RateMeter()

    /// Creates a report of an upload that begins now.
    package init(style: ProgressReport.Style, now: Timestamp) {
        (self.style, begunAt) = (style, now)
    }

    /// Returns the text for an upload's present state; nil when it is too early for another one.
    package mutating func update(_ progress: AudienceFile.Progress, now: Timestamp) -> String? {
        let interval = style == .lines ? Self.lineInterval : Self.barInterval
        // The first line comes after an interval, too: most uploads are over by then.
        let last = toldAt ?? (style == .lines ? begunAt : nil)
        if let last, now.since(last) < interval { return nil }
        toldAt = now
        let rate = devices.rate(total: progress.devices, now: now)
        let pace = bytes.rate(total: Int(progress.bytes), now: now)
        let facts = Self.facts(progress, rate: rate, bytesPerSecond: pace)
        switch style {
        case .lines: return "so far: " + facts.joined(separator: ", ") + "\n"
        case .bar(let columns):
            let text = (Self.bar(progress, columns: columns) + facts).joined(separator: "  ")
            // The last column stays free: a terminal that wraps there would leave a line behind at every redraw.
            return "\r\u{1B}[2K" + text.prefix(max(0, columns - 1))
        }
    }

    /// Returns the text that takes the bar off the screen.
    package mutating func clear() -> String {
        defer { toldAt = nil }
        return style == .lines || toldAt == nil ? "" : "\r\u{1B}[2K"
    }

    private static func bar(_ progress: AudienceFile.Progress, columns: Int) -> [String] {
        guard let size = progress.size, size > 0 else { return [] }
        let width = min(30, max(10, columns / 4))
        let filled = min(width, Int(Double(progress.bytes) / Double(size) * Double(width)))
        return ["[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"]
    }

    /// `63.0 %`, `3,150,000 devices`, `512,000/s`, `4 s left`.
    private static func facts(_ progress: AudienceFile.Progress, rate: Int?, bytesPerSecond: Int?) -> [String] {
        let count = NumberText.counted(progress.devices, "device", "devices")
        var facts: [String] = []
        if let size = progress.size, size > 0 {
            facts.append(NumberText.percent(Int(min(progress.bytes, size)), of: Int(size)))
        }
        facts.append(count)
        if let rate { facts.append("\(NumberText.grouped(rate))/s") }
        if let size = progress.size, let bytesPerSecond, bytesPerSecond > 0 {
            let seconds = Int64(max(0, size - progress.bytes)) / Int64(bytesPerSecond)
            facts.append("\(DurationText.spoken(.seconds(seconds))) left")
        }
        return facts
    }
}
