package import Campaigns
package import Delivery

/// The answers to a reload order, for people and scripts.
package struct ReloadView: Sendable {
    private let standing: ReloadStanding

    /// Creates a view of the answers.
    package init(_ standing: ReloadStanding) { self.standing = standing }

    /// The answers for people, a line for each worker.
    package var text: String {
        guard !standing.lines.isEmpty else { return "no worker is running; the next one reads the files at its start" }
        let rows = standing.lines.map { [$0.worker, $0.answer.words, $0.detail] }
        return TextTable([("worker", .left), ("answer", .left), ("apps and reasons", .left)], rows: rows).text
    }

    /// The members of the document: the order and an object for each worker.
    package var members: [JSONMember] {
        [
            JSONMember("order", .number(JSONNumber(standing.order.number))),
            JSONMember("at", .string(standing.order.at.rfc3339)), JSONMember("by", .string(standing.order.by)),
            JSONMember("answers", .array(standing.lines.map(\.json))),
        ]
    }
}

extension ReloadStanding.Answer {
    /// The answer in a word or two.
    fileprivate var words: String {
        switch self {
        case .takenOver: "taken over"
        case .refused: "refused"
        case .unanswered: "not answered"
        }
    }

    /// The answer's name for scripts.
    fileprivate var name: String { String(words.map { $0 == " " ? "_" : $0 }) }

    fileprivate var given: ReloadAnswer? {
        switch self {
        case .takenOver(let answer), .refused(let answer): answer
        case .unanswered: nil
        }
    }
}

extension ReloadStanding.Line {
    /// The worker's result, or the reason why there is none.
    fileprivate var detail: String {
        switch answer {
        case .takenOver(let answer), .refused(let answer): answer.text
        case .unanswered(.awaited): "last heard \(lastHeard)"
        case .unanswered(.silent): "last heard \(lastHeard); it answers when it comes back"
        case .unanswered(.earlierVersion): "of an earlier version: its log has what it took over"
        }
    }

    fileprivate var json: JSONValue {
        .object(
            [
                JSONMember("worker", .string(worker)), JSONMember("answer", .string(answer.name)),
                JSONMember("last_heard_at", .string(seenAt.rfc3339)), JSONMember("detail", .string(detail)),
                JSONMember("files", answer.given.map { .object($0.members) } ?? .null),
            ]
        )
    }
}
