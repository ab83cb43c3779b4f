import Delivery
import NIOCore

/// Paces runs that are spread over their slots, a few times within a slot.
extension SenderLoop {
    /// Schedules the next pacing unless it is scheduled; without effect when no run has a slot.
    func schedulePacing(in pause: Duration = LoopRuns.pacingPause) {
        guard !isPacing else { return }
        isPacing = true
        loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) {
            self.isPacing = false
            self.pace()
        }
    }

    private func pace() {
        freshenClock()
        let pause = runs.pace(now: clock())
        act()
        if let pause { schedulePacing(in: pause) }
    }
}
