import Campaigns
import Operations

/// An upload's progress, redrawn in place; on a terminal only.
struct UploadBar {
    private static let width = 24
    private static let interval = Duration.milliseconds(100)

    let isShown: Bool
    private var last: ContinuousClock.Instant?

    init(isShown: Bool) {
        self.isShown = isShown
    }

    mutating func show(_ progress: AudienceFile.Progress) {
        let now = ContinuousClock.now
        guard isShown, last.map({ now - $0 >= Self.interval }) ?? true else { return }
        last = now
        let devices = "\(NumberText.grouped(progress.devices)) devices"
        guard let size = progress.size, size > 0 else {
            Terminal.write("\r\u{1B}[2K\(devices)")
            return
        }
        let filled = min(Self.width, Int(Double(progress.bytes) / Double(size) * Double(Self.width)))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
        let share = NumberText.percent(Int(min(progress.bytes, size)), of: Int(size))
        Terminal.write("\r\u{1B}[2K[\(bar)]  \(share)  \(devices)")
    }

    mutating func clear() {
        if last != nil { Terminal.write("\r\u{1B}[2K") }
        last = nil
    }
}
