import Campaigns
import Delivery
import Testing

/// The judgement of a reload order by the workers' rows.
@Suite struct ReloadStandingTests {
    private let now = Fixtures.now
    private let order = ReloadOrder(number: 7, at: Fixtures.after(-2), by: "ada")

    private func worker(_ name: String, answers: Int64?, seenAgo: Int64 = 1, startedAgo: Int64 = 60) -> WorkerRecord {
        var health = WorkerHealth()
        health.reload = answers.map { ReloadAnswer(to: $0, at: Fixtures.after(-1), unchanged: 1) }
        return WorkerRecord(
            id: Int64(name.utf8.first ?? 0),
            name: name,
            roles: ["sender"],
            accounts: AppAccounts(["news": [.apns]]),
            startedAt: Fixtures.after(-startedAgo),
            seenAt: Fixtures.after(-seenAgo),
            skew: 0,
            health: health
        )
    }

    private func refusing(_ name: String) -> WorkerRecord {
        var refusing = worker(name, answers: 7)
        refusing.health?.reload?.refuse([
            ReloadAnswer.Refusal(key: "apps.cup.apns.key_file", reason: "no such file", fix: "put it there")
        ])
        return refusing
    }

    private func standing(_ workers: [WorkerRecord]) -> ReloadStanding {
        ReloadStanding(order, workers: workers, now: now)
    }

    @Test func `an order or a later one is answered; an answer to an earlier one is none`() {
        let standing = standing([worker("a", answers: 7), worker("b", answers: 8), worker("c", answers: 6)])
        #expect(standing.lines.map(\.worker) == ["a", "b", "c"])
        #expect(standing.lines[2].answer == .unanswered(.awaited) && standing.isAwaited)
        #expect(standing.outcome == .unanswered)
        let all = self.standing([worker("a", answers: 7), worker("b", answers: 8)])
        #expect(all.outcome == .takenOver && !all.isAwaited)
        #expect(self.standing([]).outcome == .takenOver)
    }

    @Test func `a refusal counts for more than an answer that is not there yet`() {
        let standing = standing([worker("a", answers: 6), refusing("b"), worker("c", answers: 7)])
        #expect(standing.outcome == .refused && standing.isAwaited)
        guard case .refused(let answer) = standing.lines[1].answer else { return #expect(Bool(false)) }
        #expect(answer.refusals.map(\.app) == ["cup"])
    }

    @Test func `nobody waits for a worker that is silent, and one that was replaced is not asked`() {
        let silent = worker("a", answers: 6, seenAgo: 30)
        let missed = standing([silent, worker("b", answers: 7)])
        #expect(missed.lines.map(\.answer).first == .unanswered(.silent) && !missed.isAwaited)
        #expect(missed.lines.first?.lastHeard == "30 s ago" && missed.outcome == .unanswered)
        let replaced = standing([silent, worker("b", answers: 7, startedAgo: 20)])
        #expect(replaced.lines.map(\.worker) == ["b"] && replaced.outcome == .takenOver)
    }

    @Test func `a worker that fell silent after its answer has answered`() {
        #expect(standing([worker("a", answers: 7, seenAgo: 30)]).outcome == .takenOver)
    }

    @Test func `an earlier version is not waited for, and one that has just started is`() {
        let old = worker("a", answers: nil)
        #expect(standing([old]).lines.map(\.answer) == [.unanswered(.earlierVersion)] && !standing([old]).isAwaited)
        var older = worker("b", answers: nil)
        older.health = nil
        #expect(standing([older]).lines.map(\.answer) == [.unanswered(.earlierVersion)])
        var new = worker("c", answers: nil, startedAgo: 1)
        new.health = nil
        #expect(standing([new]).isAwaited)
    }

    // MARK: - The fleet's health

    private func problems(_ workers: [WorkerRecord], orderedAgo: Int64) -> [HealthProblem] {
        let order = ReloadOrder(number: 7, at: Fixtures.after(-orderedAgo), by: "ada")
        return FleetHealth(workers: workers, clockSource: .server, reloadOrder: order).problems(now: now)
    }

    @Test func `a worker that lives and does not answer needs a person after half a minute`() {
        let workers = [worker("a", answers: 7), worker("b", answers: 6), worker("c", answers: nil)]
        #expect(problems(workers, orderedAgo: 29).isEmpty)
        let found = problems(workers, orderedAgo: 30)
        #expect(found.map(\.code) == [.reloadUnanswered] && found.map(\.subject) == ["worker b"])
        #expect(found.first?.needsPerson == true && found.first?.since == Fixtures.after(-30))
        // Its silence says it all.
        let silent = problems([worker("a", answers: 7), worker("b", answers: 6, seenAgo: 40)], orderedAgo: 60)
        #expect(silent.map(\.code) == [.workerSilent])
    }

    @Test func `a refused file needs a person at once, with the key and the way out`() throws {
        let found = try #require(problems([refusing("a")], orderedAgo: 2).first)
        #expect(found.code == .reloadRefused && found.subject == "worker a" && found.needsPerson)
        #expect(found.cause.hasSuffix("apps.cup.apns.key_file: no such file; put it there"))
        #expect(found.remedy == "correct it on its host, then fanfare app reload")
    }
}
