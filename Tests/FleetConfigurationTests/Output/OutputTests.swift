import Campaigns
import Delivery
import Operations
import Testing

@Suite struct OutputTests {
    private let instant = Timestamp(milliseconds: 0)

    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (4_000_000, "4,000,000"), (-1234, "-1,234"),
        (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func `thousands stand apart`(number: Int, text: String) {
        #expect(NumberText.grouped(number) == text)
    }

    @Test func `only all of them is 100 %`() {
        #expect(NumberText.percent(99_999, of: 100_000) == "99.9 %")
        #expect(NumberText.percent(100_000, of: 100_000) == "100.0 %")
        #expect(NumberText.percent(0, of: 0).isEmpty)
    }

    @Test(arguments: [
        (0, 20_000, "0.0 %"), (1, 4_000_000, "<0.1 %"), (9, 20_000, "<0.1 %"), (10, 20_000, "0.1 %"),
        (19, 20_000, "0.1 %"), (63, 100_000, "0.1 %"), (12_345, 100_000, "12.3 %"), (12_350, 100_000, "12.4 %"),
        (3, 2, "150.0 %"), (Int.max, Int.max, "100.0 %"),
    ])
    func `a share is rounded, and some are never none`(part: Int, whole: Int, text: String) {
        #expect(NumberText.percent(part, of: whole) == text)
    }

    @Test func `a count has its noun in the right number`() {
        #expect(NumberText.counted(1, "device", "devices") == "1 device")
        #expect(NumberText.counted(1200, "device", "devices") == "1,200 devices")
    }

    @Test func `columns are aligned and strangers stay in their cells`() {
        var table = TextTable([("name", .left), ("count", .right)])
        table.add(["a", "1,000"])
        table.add(["long\tname", "7"])
        #expect(table.text == "NAME       COUNT\na          1,000\nlong?name      7")
    }

    @Test func `a parked message has the contract's members`() throws {
        var row = ParkedRow(
            id: "7",
            queue: "fanfare.v1.campaigns",
            reason: "InvalidJob",
            firstAt: instant,
            lastAt: instant
        )
        row.errors = [Problem(pointer: "/a", code: "unknown_field", detail: "no field a", fix: nil)]
        let members = try #require(row.json.members)
        #expect(
            members.map(\.name) == [
                "id", "queue", "reason", "errors", "app", "campaign", "devices", "first_at", "last_at",
            ]
        )
        #expect(row.json["app"] == .null)
        #expect(row.text.hasSuffix("last at   1970-01-01T00:00:00.000Z\n/a: no field a"))
        #expect(ParkedRow.table([row]).split(separator: "\n").count == 2)
    }

    @Test func `lists and campaigns are tables`() {
        let list = ListRow(app: "news", name: "all", version: "ab", devices: 5000, duplicates: 1, createdAt: instant)
        #expect(ListRow.table([list]).contains("news  all   ab         5,000           1  1970-01-01T00:00:00.000Z"))
        #expect(list.json["devices"]?.integer == 5000)
        var campaign = CampaignRow(
            id: "derby",
            app: "news",
            name: nil,
            state: "sending",
            audience: 5000,
            acceptedAt: instant,
            completedAt: nil
        )
        (campaign.rate, campaign.etaAt, campaign.reasons) = (1200, instant, ["content"])
        #expect(campaign.json["accepted"] == .null)
        var counts = OutcomeCounts()
        (counts.accepted, counts.failed) = (4000, 7)
        campaign.outcomes = counts
        let line =
            "news  derby  sending (content)     5,000    80.0 %  1,200/s  1970-01-01T00:00:00.000Z  1970-01-01T00:00:00.000Z"
        #expect(CampaignRow.table([campaign]).contains(line))
        #expect(campaign.json["rate"]?.integer == 1200 && campaign.json["state_reason"]?.string == "content")
        #expect(campaign.json["completed_at"] == .null)
        #expect(campaign.json["accepted"] == 4000 && campaign.json["failed"] == 7 && campaign.json["skipped"] == 0)
    }

    @Test func `the fleet's status names what needs a person`() {
        var view = FleetStatusView()
        view.parts = [.init(name: "broker", isWell: false, detail: "not reachable")]
        view.backlogs = [.init(name: "apns.bulk", messages: 1200, consumers: 2, drain: .seconds(90))]
        view.problems = [
            HealthProblem(.broker, of: "broker", "the broker is not reachable", remedy: "start it"),
            HealthProblem(.parked, of: "parked", "a thing passes", remedy: "wait", needsPerson: false),
        ]
        #expect(view.text.contains("broker  DOWN  not reachable"))
        #expect(view.text.contains("apns.bulk    1,200          2  1 min 30 s"))
        #expect(view.text.hasSuffix("needs a person: the broker is not reachable: start it"))
        #expect(view.text.contains("problem: a thing passes: wait") && view.needs.count == 1)
        #expect(view.json["problems"]?.array?.compactMap { $0["needs_person"] } == [true, false])
        #expect(view.json["backlogs"]?.array?.first?["drain_seconds"]?.integer == 90)
    }

    @Test func `a rate is that of the last seconds`() {
        var meter = RateMeter()
        let rates = [(0, 0), (50, 50), (100, 1000), (1100, 2000), (1100, 20_000)].map { total, milliseconds in
            meter.rate(total: total, now: Timestamp(milliseconds: Int64(milliseconds)))
        }
        #expect(rates == [nil, nil, 100, 550, nil])
        var view = CampaignStatusView(id: "a", app: "b", state: "sending")
        view.pending.queued = 1000
        view.note(rate: 500, now: instant)
        #expect(view.etaAt == Timestamp(milliseconds: 2000))
        view.state = "completed"
        view.note(rate: 7, now: instant)
        #expect(view.rate == 500)
    }
}
