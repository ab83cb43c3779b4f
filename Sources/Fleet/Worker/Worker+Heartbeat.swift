import Campaigns
import Delivery
import Logging
import Operations
import Settings
import Store

/// The worker's reports to the ledger.
extension Worker {
    /// Reports to the ledger every two seconds, and after each reload, that the worker lives, which apps it knows and
    /// what it cannot do.
    static func heartbeat(_ context: WorkerContext, _ reported: () -> Void) async {
        let (id, ledger) = (context.worker, context.ledger)
        var (asked, hooks) = (context.apps.askedEvents, context.apps.webhookEntries)
        var told = ClockStanding.Verdict.inStep
        while !Task.isCancelled {
            do throws(LedgerError) {
                let standing = ledger.standing
                if standing.verdict != told { Self.tell(standing, context.logger) }
                told = standing.verdict
                // First the report: a row with an answer to a reload order has its new apps, too.
                let health = context.report
                let accounts = context.apps.reported
                let (events, entries) = (context.apps.askedEvents, context.apps.webhookEntries)
                // Written after a reload only, so that the worker that was reloaded last wins.
                let changed = events.filter { asked[$0.key] != $0.value }
                let replaced = entries.filter { hooks[$0.key] != $0.value }
                try await ledger.write(.normal) {
                    // The transaction may have waited for long, so it uses the present instant.
                    let now = ledger.now()
                    try $0.reportWorker(id, accounts: accounts, skew: standing.skew, health: health, now: now)
                    try $0.setAskedEvents(changed)
                    try $0.setWebhooks(replaced, now: now)
                }
                (asked, hooks) = (events, entries)
                context.health.reported()
                if context.health.wrote(.report) { context.logger.notice("the ledger takes writes again") }
                reported()
                await context.reloads.answered.wait(upTo: .seconds(2))
            } catch {
                if context.health.failed(.report, error, at: ledger.now()) {
                    context.logger.error(
                        "the ledger does not take the worker's report",
                        metadata: ["error": "\(error)"]
                    )
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Has each sender loop tell its answer times every ten seconds; a loop that is busy tells them later.
    static func measureAnswers(_ context: WorkerContext, _ senders: [LoopHandle]) async {
        while !Task.isCancelled {
            for (index, sender) in senders.enumerated() {
                sender.execute { [sending = context.sending] loop in
                    var times: [ProviderName: AnswerTimes] = [:]
                    for (key, metrics) in loop.metrics.providers {
                        times[key.provider, default: AnswerTimes()].add(metrics.answerTimes)
                    }
                    sending.note(times, of: index)
                }
            }
            try? await Task.sleep(for: .seconds(10))  // a cancelled sleep ends the loop
        }
    }

    /// Finds out every ten seconds if the ledger takes more than a report, which fits where a shard's outcomes do not.
    static func testWrites(_ context: WorkerContext) async {
        while !Task.isCancelled {
            await testWrite(context)
            try? await Task.sleep(for: .seconds(10))  // a cancelled sleep ends the loop
        }
    }

    private static func testWrite(_ context: WorkerContext) async {
        do throws(LedgerError) {
            try await context.ledger.testWrite()
            if context.health.wrote(.test) { context.logger.notice("the ledger takes writes again") }
        } catch {
            guard error.writeProblem.needsPerson,
                context.health.failed(.test, error, at: context.ledger.now())
            else { return }
            context.logger.error("the ledger takes no writes", metadata: ["error": "\(error)"])
        }
    }

    private static func tell(_ standing: ClockStanding, _ logger: Logger) {
        switch standing.verdict {
        case .inStep: logger.notice("this host's clock is in step with the shared time again")
        case .apart: logger.warning("this host's clock is \(standing.text)")
        case .lost:
            logger.error("this host's clock is \(standing.text): the worker takes no lease and expires nothing")
        }
    }
}
