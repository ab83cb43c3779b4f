public import Campaigns

/// The whole fleet as `status` shows it.
public struct FleetStatusView: Sendable, Equatable {
    /// How a part of the fleet is.
    public struct Health: Sendable, Equatable {
        /// What is looked at: `broker`, `store`, a worker's name.
        public var name: String
        /// Whether it does its work.
        public var isWell: Bool
        /// What to know about it, one line.
        public var detail: String
        /// What it is if it is not well, in a word or two: it may work with something wrong, and is not down then.
        public var trouble: String

        /// The health of a part.
        public init(name: String, isWell: Bool, detail: String, trouble: String = "DOWN") {
            self.name = name
            self.isWell = isWell
            self.detail = detail
            self.trouble = trouble
        }

        /// The same for people, one word or two.
        var word: String { isWell ? "ok" : trouble }
    }

    /// A queue with work, or a rung.
    public struct Backlog: Sendable, Equatable {
        /// The lane or the rung, for example `apns.bulk`.
        public var name: String
        /// Shards that wait.
        public var messages: Int
        /// Who takes them.
        public var consumers: Int
        /// How long it takes to empty it at the present rate; nil when nothing moves.
        public var drain: Duration?

        /// A backlog.
        public init(name: String, messages: Int, consumers: Int, drain: Duration? = nil) {
            self.name = name
            self.messages = messages
            self.consumers = consumers
            self.drain = drain
        }
    }

    /// Broker and store, then the workers.
    public var parts: [Health] = []
    /// The lanes, then the rungs.
    public var backlogs: [Backlog] = []
    /// Open breakers, one line each.
    public var breakers: [String] = []
    /// What is paused and why, one line each.
    public var pauses: [String] = []
    /// Messages that wait for a person.
    public var parked = 0
    /// What needs a person, one line each; then the command ends with 1.
    public var needs: [String] = []

    /// Nothing known yet.
    public init() {}

    /// `status --json`.
    public var json: JSONValue {
        .object([
            "parts": .array(
                parts.map {
                    .object(["name": .string($0.name), "well": .bool($0.isWell), "detail": .string($0.detail)])
                }
            ),
            "backlogs": .array(
                backlogs.map { backlog in
                    .object([
                        "name": .string(backlog.name), "messages": .number(JSONNumber(backlog.messages)),
                        "consumers": .number(JSONNumber(backlog.consumers)),
                        "drain_seconds": backlog.drain.map { .number(JSONNumber($0.components.seconds)) } ?? .null,
                    ])
                }
            ),
            "breakers": .array(breakers.map(JSONValue.string)), "pauses": .array(pauses.map(JSONValue.string)),
            "parked": .number(JSONNumber(parked)), "needs": .array(needs.map(JSONValue.string)),
        ])
    }

    /// The same for people.
    public var text: String {
        var health = TextTable(columns: [.left, .left, .left])
        for part in parts { health.add([part.name, part.word, part.detail]) }
        var blocks = [health.text]
        if !backlogs.isEmpty {
            var table = TextTable([("queue", .left), ("waiting", .right), ("consumers", .right), ("empty in", .right)])
            for backlog in backlogs {
                let drain = backlog.messages == 0 ? "" : backlog.drain.map(DurationText.spoken) ?? "standing still"
                table.add([
                    backlog.name, NumberText.grouped(backlog.messages), NumberText.grouped(backlog.consumers), drain,
                ])
            }
            blocks.append(table.text)
        }
        let lines = breakers.map { "breaker open: \($0)" } + pauses.map { "paused: \($0)" }
        blocks.append((lines + ["parked messages: \(NumberText.grouped(parked))"]).joined(separator: "\n"))
        if !needs.isEmpty { blocks.append(needs.map { "needs a person: \($0)" }.joined(separator: "\n")) }
        return blocks.joined(separator: "\n\n")
    }
}
