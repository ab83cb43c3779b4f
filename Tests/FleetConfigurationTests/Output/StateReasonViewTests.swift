import Campaigns
import Delivery
import Testing

@testable import Operations

/// A campaign's reasons as `campaign status` shows them, and what a measured rate and the broker add to them.
@Suite struct StateReasonViewTests {
    private let now = Timestamp(milliseconds: 1_795_204_510_000)

    private var retrying: CampaignStatusView {
        var view = CampaignStatusView(id: "derby", app: "news", state: "sending")
        view.audience = 20_000
        view.outcomes.accepted = 18_042
        view.pending.retrying = 1958
        view.retries = [.init(rung: "2m", devices: 1958)]
        view.retryReasons = ["TooManyRequests": 1900, "Shutdown": 58]
        var facts = StateFacts(app: "news", stage: .sending)
        facts.pending = view.pending
        facts.shares = [StateFacts.Share(lane: Lane(provider: .fcm, urgency: .bulk))]
        facts.retries.add(1958, reasons: view.retryReasons, due: now.advanced(by: .seconds(70)))
        view.note(facts)
        return view
    }

    @Test func `people and scripts see why devices are tried again, and until when`() {
        let due = now.advanced(by: .seconds(70)).rfc3339
        let reason = "1,958 devices are tried again at \(due) after TooManyRequests, Shutdown"
        #expect(retrying.stateReason == reason)
        let lines = retrying.text(now: now).split(separator: "\n")
        #expect(lines.contains("sending (\(Substring(reason)))"))
        #expect(lines.contains("retries   after 2m 1,958 (TooManyRequests 1,900, Shutdown 58)"))
        #expect(retrying.json["state_reason"]?.string == reason)
        #expect(retrying.json["state_codes"]?.text == #"["throttled"]"#)
        #expect(retrying.json["retry_reasons"]?.text == #"{"TooManyRequests":1900,"Shutdown":58}"#)
    }

    @Test func `a rate that is measured ends a reason but that of retries, and one of 0 asks for others`() {
        var view = retrying
        view.note(rate: 12, now: now)
        #expect(view.stateCodes == ["throttled"] && view.rate == 12)
        view.note(rate: 0, now: now)
        #expect(view.stateCodes == ["throttled"])
        var facts = StateFacts(app: "news", stage: .sending)
        facts.pending.queued = 5
        view.note(facts)
        view.note(rate: 0, now: now)
        #expect(view.stateCodes == ["queued"])
        view.note(rate: 12, now: now)
        #expect(view.stateReason == nil && view.stateCodes.isEmpty)
    }

    @Test func `what the broker says comes in front`() {
        var view = retrying
        var fleet = StateFacts.FleetState()
        fleet.missing = ["fanfare.v1.retry.2m.b"]
        view.note(rate: 0, fleet: fleet)
        #expect(view.stateCodes == ["queues_missing"])
        #expect(view.stateReason?.contains("fanfare topology apply") == true)
    }

    @Test func `a refused job keeps its problems when somebody has asked the broker`() {
        var view = CampaignStatusView(id: "derby", app: "news", state: "refused")
        view.stateReason = "delivery has no field expire_at"
        view.note(fleet: StateFacts.FleetState())
        #expect(view.stateReason == "delivery has no field expire_at" && view.stateCodes.isEmpty)
    }

    @Test(arguments: Set(AsideReason.allCases).subtracting([.rate]))
    func `a reason that is a word only is explained to people`(reason: AsideReason) {
        var view = CampaignStatusView(id: "derby", app: "news", state: "paused")
        var facts = StateFacts(app: "news", stage: .sending)
        facts.pausedBy = [reason]
        view.note(facts)
        #expect(view.stateReason == reason.rawValue)
        let lines = view.text(now: now).split(separator: "\n")
        #expect(lines.contains("\(reason.rawValue): \(Substring(reason.meaning))"))
    }

    @Test func `a line is for another reason, not for another number in its words`() {
        var report = ProgressReport(style: .lines)
        var view = retrying
        #expect(report.update(view, now: now) != nil)
        view.stateReason = "1,957 devices are tried again"
        #expect(report.update(view, now: now) == nil)
        view.stateCodes = ["queued"]
        #expect(report.update(view, now: now) != nil)
    }

    @Test func `a newer campaign is named once`() {
        var view = CampaignStatusView(id: "derby", app: "news", state: "completed")
        view.audience = 300
        view.outcomes.superseded = 300
        view.supersededBy = "derby-2"
        #expect(view.text(now: now).ranges(of: "superseded by derby-2").count == 1)
        var facts = StateFacts(app: "news", stage: .completed)
        var end = StateFacts.End(expiresAt: now)
        (end.counts, end.supersededBy) = (view.outcomes, "derby-2")
        facts.end = end
        view.note(facts)
        #expect(view.text(now: now).ranges(of: "superseded by derby-2").count == 1)
    }
}
