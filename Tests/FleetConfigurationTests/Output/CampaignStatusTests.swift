import Campaigns
import Operations
import Testing

@Suite struct CampaignStatusTests {
    private let now = Timestamp(milliseconds: 1_795_204_510_000)

    private var example: CampaignStatusView {
        var view = CampaignStatusView(id: "derby", app: "news", state: "sending")
        view.audience = 100_000
        view.outcomes.accepted = 90_000
        view.outcomes.invalid = 2000
        view.outcomes.expired = 500
        view.pending.queued = 5000
        view.pending.sending = 2000
        view.pending.retrying = 500
        view.attempts = 99_900
        view.unknownResent = 100
        view.reasons = ["Unregistered": 2000, "Shutdown": 7]
        view.rate = 21_000
        view.etaAt = now.advanced(by: .seconds(2))
        view.metadata = ["run": "8812"]
        view.startedAt = now
        return view
    }

    @Test func `the JSON has the contract's members in the contract's order`() throws {
        let members = try #require(example.json.members)
        #expect(
            members.map(\.name) == [
                "id", "app", "name", "tags", "metadata", "state", "state_reason", "superseded_by", "audience",
                "accepted",
                "invalid", "failed", "expired", "superseded", "cancelled", "skipped", "pending", "pending_detail",
                "attempts", "maybe_sent", "unknown_resent", "reasons", "rate", "eta_at", "next_retry_at", "created_at",
                "accepted_at", "started_at", "completed_at", "expires_at", "parts", "providers", "retries", "run_of",
                "repeat", "runs", "kind", "sends_pushes", "state_codes", "retry_reasons", "planning",
                "audience_estimate", "unexamined",
            ]
        )
        #expect(
            example.json["pending_detail"]?.text
                == #"{"unplanned":0,"queued":5000,"sending":2000,"retrying":500,"held":0,"parked":0}"#
        )
        #expect(example.json["pending"]?.integer == 7500)
        #expect(example.json["state_reason"] == .null)
        #expect(example.json["reasons"]?.text == #"{"Unregistered":2000,"Shutdown":7}"#)
        #expect(example.json["started_at"]?.string == now.rfc3339)
    }

    @Test func `the law is judged, not assumed`() {
        var view = example
        #expect(view.isLawKept)
        view.pending.parked += 1
        #expect(!view.isLawKept)
        #expect(view.text(now: now).contains("the numbers do not add up: 100000 devices, 100001 counted"))
    }

    @Test func `people see every outcome, its share, and where the pending devices are`() {
        let lines = example.text(now: now).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.prefix(2) == ["news/derby", "sending, 21,000/s, done in 2 s"])
        #expect(lines.contains("accepted     90,000  90.0 %"))
        #expect(lines.contains("skipped           0   0.0 %"))
        #expect(lines.contains("pending       7,500   7.5 %  queued 5,000, sending 2,000, retrying 500"))
        #expect(lines.contains("audience    100,000"))
        #expect(lines.contains("reasons   Unregistered 2,000, Shutdown 7"))
        #expect(lines.contains("requests  99,900, sent again without an answer 100"))
    }

    @Test func `devices are shown by provider: in JSON always, to people when there are several`() {
        var view = example
        var (apns, fcm) = (OutcomeCounts(), OutcomeCounts())
        (apns.accepted, fcm.accepted, fcm.invalid) = (60_000, 30_000, 2000)
        view.providers = [.init(name: "apns", audience: 60_000, outcomes: apns)]
        #expect(!view.text(now: now).contains("PROVIDER"))
        #expect(view.json["providers"]?["apns"]?["audience"]?.integer == 60_000)
        var pending = PendingDevices()
        pending.held = 8000
        view.providers.append(
            .init(name: "fcm", audience: 40_000, outcomes: fcm, pending: pending, pausedBy: ["breaker"])
        )
        let lines = view.text(now: now).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("apns ") && $0.contains(" 60,000 ") })
        #expect(lines.contains { $0.hasPrefix("fcm ") && $0.contains(" 2,000 ") && $0.hasSuffix("8,000  breaker") })
        let json = view.json["providers"]?["fcm"]
        #expect(json?["accepted"]?.integer == 30_000 && json?["pending"]?.integer == 8000)
        #expect(json?["pending_detail"]?["held"]?.integer == 8000)
        #expect(json?["paused_by"]?.array?.map(\.string) == ["breaker"])
    }

    @Test func `the live view has a bar, the rungs and the parts`() {
        var view = example
        view.retries = [.init(rung: "5s", devices: 400), .init(rung: "30s", devices: 100)]
        view.parts = [
            .object([
                "time_zone": "Europe/Madrid", "release_at": "2026-11-20T20:50:00.000Z",
                "expires_at": "2026-11-20T21:05:00.000Z", "audience": 60_000, "unplanned": 5000, "accepted": 40_000,
                "invalid": 2000,
            ]),
            .object(["time_zone": .null, "audience": 40_000, "unplanned": 0]),
        ]
        let lines = view.screen(columns: 60, now: now).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("[#############--]  sending  92,500 of 100,000") && lines[0].count < 60)
        #expect(lines.contains("retries   after 5s 400, after 30s 100"))
        let madrid = "Europe/Madrid   60,000      5,000  42,000  2026-11-20T20:50:00.000Z  2026-11-20T21:05:00.000Z"
        #expect(lines.contains(Substring(madrid)), "\(lines)")
        #expect(lines.contains("no zone         40,000          0       0"))
    }

    @Test func `a cancelled campaign is over when what ran has its answers`() {
        var view = example
        view.state = "cancelled"
        #expect(view.isFinished && !view.isOver)
        view.outcomes.cancelled = view.pending.total
        view.pending = PendingDevices()
        #expect(view.isOver && view.isLawKept)
    }

    @Test func `a name from a job cannot move the cursor`() {
        var view = example
        view.name = "a\u{1B}[2Jb\nc"
        #expect(view.text(now: now).hasPrefix("news/derby, \"a?[2Jb?c\"\n"))
    }

    @Test func `on a terminal the bar redraws itself and is never wider than the terminal`() throws {
        var report = ProgressReport(style: .bar(columns: 60))
        let drawn = report.update(example, now: now)
        let first = try #require(drawn)
        #expect(first.hasPrefix("\r\u{1B}[2K[#############--]  sending  92,500 of 100,000 (92.5 %)"))
        #expect(first.count <= 5 + 59)
        let second = report.update(example, now: now)
        #expect(second == drawn)
        let ends = [report.finish(), report.finish()]
        #expect(ends == ["\n", ""])
    }

    @Test func `elsewhere a line is written when it says something new`() {
        var report = ProgressReport(style: .lines)
        var view = example
        var written = [report.update(view, now: now), report.update(view, now: now.advanced(by: .seconds(60)))]
        view.outcomes.accepted += 1
        view.pending.sending -= 1
        written.append(report.update(view, now: now.advanced(by: .seconds(9))))
        written.append(report.update(view, now: now.advanced(by: .seconds(10))))
        view.state = "completed"
        view.outcomes.accepted += view.pending.total
        view.pending = .init()
        written.append(report.update(view, now: now.advanced(by: .seconds(10))))
        written.append(report.finish())
        let rest = ", 21,000/s, 2 s left, accepted 90,000, invalid 2,000, expired 500, retrying 500\n"
        #expect(written[0] == "news/derby: sending, 92,500 of 100,000 (92.5 %)" + rest)
        #expect(written[1] == nil)
        #expect(written[2] == nil)
        #expect(written[3]?.contains("accepted 90,001") == true)
        #expect(written[4]?.contains("completed, 100,000 of 100,000 (100.0 %), accepted") == true)
        #expect(written[5] == "")
    }

    @Test func `a tenth of the audience is worth a line`() {
        var report = ProgressReport(style: .lines)
        var view = CampaignStatusView(id: "a", app: "b", state: "sending")
        view.audience = 100
        let written = [0, 9, 10, 11, 20].map { accepted in
            view.outcomes.accepted = accepted
            return report.update(view, now: now) != nil
        }
        #expect(written == [true, false, true, false, true])
    }
}
