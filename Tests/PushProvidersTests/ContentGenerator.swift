import Campaigns

/// Random jobs from a seed: the same seed gives the same job.
struct ContentGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    }

    /// Returns a job with some fields of content, with texts that include every kind of character.
    mutating func job() -> Job {
        var content = Content()
        content.title = maybe { $0.text() }
        content.subtitle = maybe { $0.text() }
        content.body = maybe { $0.text() }
        content.titleLocKey = maybe { $0.text() }
        content.titleLocArgs = (0..<below(3)).map { _ in text() }
        content.locKey = maybe { $0.text() }
        content.locArgs = (0..<below(3)).map { _ in text() }
        content.badge = maybe { Int($0.below(100)) }
        content.sound = maybe { Sound(name: $0.text(), critical: $0.below(2) == 0) }
        content.threadID = maybe { $0.text() }
        content.category = maybe { $0.text() }
        content.mediaURL = maybe { _ in "https://example.com/a" }
        content.relevanceScore = maybe { JSONNumber(text: ["0", "1", "0.25", "1e-3", "0.80"][$0.below(5)]) }
        content.contentAvailable = below(2) == 0
        content.data = members(depth: 3).filter { !["aps", "fanfare"].contains($0.name) }
        content.apns = maybe { .object($0.members(depth: 3).filter { !["aps", "fanfare"].contains($0.name) }) }
        var job = Job(id: "g", app: "a", audience: .devices([]), content: content)
        job.delivery.pushType = maybe { PushType.allCases[$0.below(PushType.allCases.count)] }
        return job
    }

    private mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    private mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

    private mutating func maybe<Value>(_ make: (inout ContentGenerator) -> Value) -> Value? {
        below(2) == 0 ? make(&self) : nil
    }

    private mutating func text() -> String {
        let pieces = [
            "a", "Z", "\"", "\\", "/", "\n", "\r", "\t", "\u{0}", "\u{1f}", "\u{7f}", "é", "e\u{301}", "€", "🏟",
            "\u{2028}",
            "{", "}", "</script>", " ",
        ]
        return (0..<below(12)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    private mutating func members(depth: Int) -> [JSONMember] {
        var result: [JSONMember] = []
        for _ in 0..<below(4) {
            let name = text() + "k\(result.count)"
            result.append(JSONMember(name, value(depth: depth)))
        }
        return result
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch below(depth > 0 ? 6 : 4) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .number(JSONNumber(text: ["0", "-1", "1.50", "9007199254740993", "1e30"][below(5)]))
        case 3: .string(text())
        case 4: .array((0..<below(4)).map { _ in value(depth: depth - 1) })
        default: .object(members(depth: depth - 1))
        }
    }
}
