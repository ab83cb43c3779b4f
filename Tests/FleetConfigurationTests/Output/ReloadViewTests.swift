import Campaigns
import Delivery
import Testing

@testable import Operations

/// The answers to a reload order, as the command and the HTTP API show them.
@Suite struct ReloadViewTests {
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    private func worker(_ id: Int64, _ answer: ReloadAnswer?, seenAt: Int64 = 99) -> WorkerRecord {
        var health = WorkerHealth()
        health.reload = answer
        return WorkerRecord(
            id: id,
            name: "host.\(id)",
            roles: ["sender"],
            accounts: AppAccounts(["news": [.apns]]),
            startedAt: at(0),
            seenAt: at(seenAt),
            health: health
        )
    }

    private func view(_ workers: [WorkerRecord]) -> ReloadView {
        ReloadView(ReloadStanding(ReloadOrder(number: 7, at: at(90), by: "ada"), workers: workers, now: at(100)))
    }

    @Test func `each worker has a line with its answer, and scripts have what it took over or refused`() {
        var taken = ReloadAnswer(to: 7, at: at(91), unchanged: 1)
        taken.new = ["cup"]
        var refused = ReloadAnswer(to: 7, at: at(91), unchanged: 1)
        refused.refuse([.init(key: "apps.cup.apns.key_file", reason: "no such file", fix: nil)])
        let view = view([worker(1, taken), worker(2, refused), worker(3, nil, seenAt: 40), worker(4, nil)])
        #expect(
            view.text == """
                WORKER  ANSWER        APPS AND REASONS
                host.1  taken over    new: cup; apps as before: 1
                host.2  refused       apps.cup.apns.key_file: no such file
                host.3  not answered  last heard 60 s ago; it answers when it comes back
                host.4  not answered  of an earlier version: its log has what it took over
                """
        )
        let json = JSONValue.object(view.members)
        #expect(json["order"]?.integer == 7 && json["by"] == "ada")
        let answers = json["answers"]?.array ?? []
        let given = answers.compactMap { $0["answer"]?.string }
        #expect(given == ["taken_over", "refused", "not_answered", "not_answered"])
        #expect(answers.first?["files"]?["new"]?.array == ["cup"] && answers.last?["files"] == .null)
        #expect(answers[1]["files"]?["refused"]?.array?.first?["app"] == "cup")
    }

    @Test func `without a worker there is nobody to answer`() {
        #expect(view([]).text == "no worker is running; the next one reads the files at its start")
    }
}
