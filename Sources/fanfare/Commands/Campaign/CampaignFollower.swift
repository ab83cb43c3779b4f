import Campaigns
import Delivery
import Operations
import Store

/// Follows a campaign to its end: a bar on a terminal, occasional lines elsewhere, nothing with `--json`.
struct CampaignFollower {
    let ledger: Ledger
    let campaign: UInt32
    let isQuiet: Bool
    /// The time to give up; nil for never.
    let deadline: ContinuousClock.Instant?

    /// Returns the campaign when nothing more will change, or when only a person can continue it.
    ///
    /// Throws the time-out, with the campaign's state at that time.
    func follow() async throws -> CampaignStatusView {
        let style = Terminal.progressStyle
        var (report, meter) = (ProgressReport(style: style), RateMeter())
        while true {
            let now = ledger.now()
            guard let status = try await ledger.read({ try $0.status(campaign: campaign, now: now) }) else {
                throw CommandFailure(.failed, "the campaign is gone from the ledger \(ledger.path)")
            }
            var view = CampaignStatusView(status)
            view.note(rate: meter.rate(total: view.outcomes.total, now: now), now: now)
            if !isQuiet, let text = report.update(view, now: now) { Terminal.write(text) }
            if view.isOver || view.isOnlyParked || view.isLiveInApp {
                if !isQuiet { Terminal.write(report.finish()) }
                return view
            }
            if let deadline, ContinuousClock.now >= deadline {
                if !isQuiet { Terminal.write(report.finish()) }
                throw timeout(view)
            }
            try await Task.sleep(for: .milliseconds(style == .lines ? 200 : 100))
        }
    }

    private func timeout(_ view: CampaignStatusView) -> CommandFailure {
        let done = "\(NumberText.grouped(view.outcomes.total)) of \(NumberText.grouped(view.audience)) devices are done"
        let state = view.stateReason.map { "\(view.state) (\($0))" } ?? view.state
        return CommandFailure(
            ProblemDocument(
                .timeout,
                title: "the time is over: \(view.app)/\(view.id) is \(state), \(done); it goes on without this command",
                campaign: view.id
            ),
            lines: []
        )
    }
}

extension CampaignStatusView {
    /// True if every device without an outcome waits for a person.
    var isOnlyParked: Bool { !isFinished && pending.total > 0 && pending.parked == pending.total }

    /// True if devices get the campaign's message: the state to wait for in a campaign without pushes.
    var isLiveInApp: Bool { !sendsPushes && state == CampaignStage.sending.rawValue }

    /// The exit code of a command that waited for this state.
    var exit: FanfareExit {
        switch state {
        case "completed": outcomes[.failed] > 0 ? .devicesFailed : .done
        case _ where isOnlyParked: .devicesFailed
        case _ where isLiveInApp: .done
        default: .failed
        }
    }
}
