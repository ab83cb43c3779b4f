public import Campaigns

/// The answers of a fleet to its newest reload order, judged from the workers' rows.
///
/// Pure: the caller reads the rows and passes the time. The command, the HTTP API and `FleetHealth` ask the same
/// function.
public struct ReloadStanding: Sendable, Equatable {
    /// A worker's answer.
    public enum Answer: Sendable, Equatable {
        /// All its files are in use.
        case takenOver(ReloadAnswer)
        /// A file of its host has mistakes; the worker goes on with what it had of that file.
        case refused(ReloadAnswer)
        /// No answer to this order yet.
        case unanswered(Cause)
    }

    /// The cause for which an answer is not there.
    public enum Cause: Sendable, Equatable {
        /// The worker lives and has not come to it.
        case awaited
        /// The worker has not reported lately; it answers when it comes back.
        case silent
        /// The worker is of a version that reads its files and gives no answer; its log has it.
        case earlierVersion
    }

    /// A worker with its answer.
    public struct Line: Sendable, Equatable {
        /// The worker, host and process.
        public var worker: String
        /// The instant of its last report.
        public var seenAt: Timestamp
        /// The time since then, such as `12 s ago`.
        public var lastHeard: String
        /// The answer.
        public var answer: Answer
    }

    /// The end of an order.
    public enum Outcome: Sendable, Equatable {
        /// All have taken their files over.
        case takenOver
        /// A worker has refused a file.
        case refused
        /// Nobody has refused, and not all have answered.
        case unanswered
    }

    /// The order.
    public let order: ReloadOrder
    /// The workers alive, and those heard of within the hour that no later one replaces, in the rows' order.
    public let lines: [Line]

    /// Judges the rows of `workers`, which are those that are known, at an instant.
    public init(_ order: ReloadOrder, workers: [WorkerRecord], now: Timestamp) {
        self.order = order
        // Neither the source of the clock nor the ledger's state matters for who is missed.
        let missed = Set(FleetHealth(workers: workers, clockSource: .host).missed(now: now).map(\.id))
        lines = workers.filter { $0.isLive(now: now) || missed.contains($0.id) }.map { worker in
            Line(
                worker: worker.name,
                seenAt: worker.seenAt,
                lastHeard: worker.lastHeard(now: now),
                answer: worker.answer(to: order, now: now)
            )
        }
    }

    /// True while waiting makes sense: a worker that lives and can answer has not.
    public var isAwaited: Bool { lines.contains { $0.answer == .unanswered(.awaited) } }

    /// The outcome as of now.
    public var outcome: Outcome {
        var outcome = Outcome.takenOver
        for line in lines {
            switch line.answer {
            case .takenOver: continue
            case .refused: return .refused
            case .unanswered: outcome = .unanswered
            }
        }
        return outcome
    }

    /// The live workers that have left the order unanswered for longer than `ReloadOrder.patience`.
    func overdue(now: Timestamp) -> [Line] {
        guard now.since(order.at) >= ReloadOrder.patience else { return [] }
        return lines.filter { $0.answer == .unanswered(.awaited) }
    }
}

extension WorkerRecord {
    fileprivate func answer(to order: ReloadOrder, now: Timestamp) -> ReloadStanding.Answer {
        if let answer = health?.reload, answer.order >= order.number {
            return answer.refusals.isEmpty ? .takenOver(answer) : .refused(answer)
        }
        guard isLive(now: now) else { return .unanswered(.silent) }
        // A version that answers has at least its start's answer in each report, and reports at once.
        let hasReported = health != nil || now.since(startedAt) >= Self.silenceMax
        return .unanswered(hasReported && health?.reload == nil ? .earlierVersion : .awaited)
    }
}
