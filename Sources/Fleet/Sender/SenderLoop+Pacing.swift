import Campaigns
import Delivery
import NIOCore

/// Runs that are spread over their slots: whose turn it is, a few times within a slot.
extension SenderLoop {
    /// Between two looks at least: at 1,000 a second two devices go out at each.
    private static let pacingPause = TimeAmount.milliseconds(2)
    /// And at most, whatever a clock does.
    private static let pacingRest = TimeAmount.milliseconds(100)

    /// Looks soon, unless it is going to; without effect when no run has a slot.
    func schedulePacing(in pause: TimeAmount = pacingPause) {
        guard !isPacing else { return }
        isPacing = true
        loop.assumeIsolated().scheduleTask(in: pause) {
            self.isPacing = false
            self.pace()
        }
    }

    private func pace() {
        freshenClock()
        let now = clock()
        var next: TimeAmount?
        for slot in slots.values {
            guard let active = active(slot), active.run.isPaced, !active.isReported else { continue }
            let pause: TimeAmount
            if let instant = active.run.wake(now: now) {
                pause = .microseconds(instant - now.milliseconds * 1000)
            } else {
                if active.run.hasWork { queue(slot) }
                reportIfOver(slot)
                pause = Self.pacingPause
            }
            next = min(next ?? pause, pause)
        }
        guard let next else { return }
        schedulePacing(in: min(max(next, Self.pacingPause), Self.pacingRest))
    }
}
