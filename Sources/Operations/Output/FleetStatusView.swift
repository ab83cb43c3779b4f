package import Campaigns
package import Delivery
import Settings

/// The state of the whole fleet, as `status` shows it.
package struct FleetStatusView: Sendable, Equatable {
    /// The health of a part of the fleet.
    package struct Health: Sendable, Equatable {
        /// The name of the part: `broker`, `store`, a worker's name.
        package var name: String
        /// True if the part works.
        package var isWell: Bool
        /// A note about the part, in one line.
        package var detail: String
        /// A word or two for a part that is not well; it may work with a fault, and then is not `DOWN`.
        package var trouble: String
        /// The worker that the part is; nil for other parts.
        package var worker: WorkerRecord?

        /// Creates the health of a part.
        package init(name: String, isWell: Bool, detail: String, trouble: String = "DOWN") {
            self.name = name
            self.isWell = isWell
            self.detail = detail
            self.trouble = trouble
        }

        /// The health for people, a word or two.
        var word: String { isWell ? "ok" : trouble }

        /// The health for scripts; a worker's has its last report.
        var json: JSONValue {
            .object([
                "name": .string(name), "well": .bool(isWell), "detail": .string(detail),
                "last_heard_at": worker.map { .string($0.seenAt.rfc3339) }, "health": worker?.health?.json,
            ])
        }
    }

    /// A queue with work, or a rung of the retry ladder.
    package struct Backlog: Sendable, Equatable {
        /// The lane or the rung, for example `apns.bulk`.
        package var name: String
        /// The number of shards that wait.
        package var messages: Int
        /// The number of consumers.
        package var consumers: Int
        /// The time until it is empty at the present rate; nil when nothing moves.
        package var drain: Duration?
        /// The wait of a rung, whose messages are due one after another; nil for a lane.
        package var wait: RetryWait?

        /// Creates a backlog.
        package init(name: String, messages: Int, consumers: Int, drain: Duration? = nil, wait: RetryWait? = nil) {
            self.name = name
            self.messages = messages
            self.consumers = consumers
            self.drain = drain
            self.wait = wait
        }

        /// The end of the backlog, for people.
        fileprivate var end: String {
            guard messages > 0 else { return "" }
            guard let wait else { return drain.map(DurationText.spoken) ?? "standing still" }
            let reasons = wait.named.map { "\($0.reason) \(NumberText.grouped($0.devices))" }
            return "waits until \(wait.until?.rfc3339 ?? "")" + reasons.map { ", \($0)" }.joined()
        }
    }

    /// Broker and store, then the workers.
    package var parts: [Health] = []
    /// The lanes, then the rungs.
    package var backlogs: [Backlog] = []
    /// The open breakers, one line each.
    package var breakers: [String] = []
    /// The pauses with their reasons, one line each.
    package var pauses: [String] = []
    /// The number of parked messages.
    package var parked = 0
    /// The refused jobs among them: their producers know why, and no operator is needed.
    package var refused = 0
    /// The problems of the whole fleet.
    package var problems: [HealthProblem] = []
    /// The problems that need a person, one line each; the command exits with 1 when there are any.
    package var needs: [String] { problems.filter(\.needsPerson).map(\.text) }

    /// Creates an empty state.
    package init() {}

    /// The document of `status --json`.
    package var json: JSONValue {
        .object([
            "parts": .array(parts.map(\.json)),
            "backlogs": .array(
                backlogs.map { backlog in
                    .object([
                        "name": .string(backlog.name), "messages": .number(JSONNumber(backlog.messages)),
                        "consumers": .number(JSONNumber(backlog.consumers)),
                        "drain_seconds": backlog.drain.map { .number(JSONNumber($0.components.seconds)) } ?? .null,
                        "waits_until": backlog.wait?.until.map { .string($0.rfc3339) } ?? .null,
                        "retry_reasons": .object(
                            (backlog.wait?.named ?? []).map { JSONMember($0.reason, .number(JSONNumber($0.devices))) }
                        ),
                    ])
                }
            ),
            "breakers": .array(breakers.map(JSONValue.string)), "pauses": .array(pauses.map(JSONValue.string)),
            "parked": .number(JSONNumber(parked)), "refused_jobs": .number(JSONNumber(refused)),
            "needs": .array(needs.map(JSONValue.string)), "problems": .array(problems.map(\.json)),
        ])
    }

    /// The state for people.
    package var text: String {
        let health = parts.map { [$0.name, $0.word, $0.detail] }
        var blocks = [TextTable(columns: [.left, .left, .left], rows: health).text]
        if !backlogs.isEmpty {
            var table = TextTable([("queue", .left), ("waiting", .right), ("consumers", .right), ("empty in", .right)])
            for backlog in backlogs {
                table.add([
                    backlog.name, NumberText.grouped(backlog.messages), NumberText.grouped(backlog.consumers),
                    backlog.end,
                ])
            }
            blocks.append(table.text)
        }
        // Breakers have lines of their own.
        let passing = problems.filter { !$0.needsPerson && $0.code != .breaker }
        let lines =
            breakers.map { "breaker open: \($0)" } + pauses.map { "paused: \($0)" }
            + passing.map { "problem: \($0.text)" }
        let refusals = refused == 0 ? "" : ", of them \(NumberText.counted(refused, "refused job", "refused jobs"))"
        blocks.append((lines + ["parked messages: \(NumberText.grouped(parked))\(refusals)"]).joined(separator: "\n"))
        if !needs.isEmpty { blocks.append(needs.map { "needs a person: \($0)" }.joined(separator: "\n")) }
        return blocks.joined(separator: "\n\n")
    }
}
