import Campaigns
import Operations
import Store

/// An upload's progress: a bar on a terminal, now and then a line on standard error elsewhere, nothing with `--json`.
struct UploadBar {
    private let isQuiet: Bool
    private let isBar: Bool
    private var report: UploadReport

    init(isQuiet: Bool) {
        let style = Terminal.progressStyle
        self.isQuiet = isQuiet
        isBar = style != .lines
        report = UploadReport(style: style, now: WallClock.now().asRead)
    }

    mutating func show(_ progress: AudienceFile.Progress) {
        guard !isQuiet, let text = report.update(progress, now: WallClock.now().asRead) else { return }
        if isBar { Terminal.write(text) } else { Terminal.writeError(text) }
    }

    mutating func clear() {
        let text = report.clear()
        if !isQuiet, !text.isEmpty { Terminal.write(text) }
    }
}
