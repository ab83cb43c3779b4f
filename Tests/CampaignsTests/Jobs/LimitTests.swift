import Campaigns
import Testing

/// A limit of the contract, section 1: the limit is accepted, one more is refused at its position.
struct Limit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let within: String
    let over: String
    let pointer: String
    let code: ProblemCode
}

@Suite struct LimitTests {
    private static func job(_ path: String, _ value: String) -> String {
        JobFixtures.patch(JobFixtures.minimal, path: path.split(separator: "/").map(String.init), value)
    }

    private static func devices(_ count: Int) -> String {
        let devices = (0..<count).map { number in
            let digits = String(number, radix: 16)
            return "{\"token\": \"\(String(repeating: "0", count: 64 - digits.count))\(digits)\"}"
        }
        return "[" + devices.joined(separator: ",") + "]"
    }

    private static func urgent(_ count: Int) -> String {
        let base = job("delivery", "{\"urgency\": \"urgent\"}")
        return JobFixtures.patch(base, path: ["audience", "devices"], devices(count))
    }

    private static func padded(_ bytes: Int) -> String {
        JobFixtures.minimal + String(repeating: " ", count: bytes - JobFixtures.minimal.utf8.count)
    }

    /// The job is the first level, `content.data` the third.
    private static func nested(_ depth: Int) -> String {
        let inner = String(repeating: "[", count: depth - 3) + String(repeating: "]", count: depth - 3)
        return job("content/data", "{\"deep\": \(inner)}")
    }

    private static func tags(_ count: Int) -> String {
        "[" + (0..<count).map { "\"t\($0)\"" }.joined(separator: ",") + "]"
    }

    private static func pairs(_ count: Int) -> String {
        "{" + (0..<count).map { "\"k\($0)\": \"v\"" }.joined(separator: ",") + "}"
    }

    private static func text(_ count: Int) -> String { "\"" + String(repeating: "a", count: count) + "\"" }

    static let all: [Limit] = [
        Limit(
            testDescription: "10,000 devices",
            within: job("audience/devices", devices(10_000)),
            over: job("audience/devices", devices(10_001)),
            pointer: "/audience/devices",
            code: .tooMany
        ),
        Limit(
            testDescription: "1,000 urgent devices",
            within: urgent(1000),
            over: urgent(1001),
            pointer: "/audience/devices",
            code: .tooMany
        ),
        Limit(
            testDescription: "20 tags",
            within: job("tags", tags(20)),
            over: job("tags", tags(21)),
            pointer: "/tags",
            code: .tooMany
        ),
        Limit(
            testDescription: "20 metadata pairs",
            within: job("metadata", pairs(20)),
            over: job("metadata", pairs(21)),
            pointer: "/metadata",
            code: .tooMany
        ),
        Limit(
            testDescription: "128 characters of id",
            within: job("id", text(128)),
            over: job("id", text(129)),
            pointer: "/id",
            code: .format
        ),
        Limit(
            testDescription: "64 bytes of collapse_id",
            within: job("delivery", "{\"collapse_id\": \(text(64))}"),
            over: job("delivery", "{\"collapse_id\": \(text(65))}"),
            pointer: "/delivery/collapse_id",
            code: .length
        ),
        Limit(
            testDescription: "30 days of ttl",
            within: job("delivery", "{\"ttl\": 2592000}"),
            over: job("delivery", "{\"ttl\": 2592001}"),
            pointer: "/delivery/ttl",
            code: .range
        ),
        Limit(
            testDescription: "4 MiB",
            within: padded(4 << 20),
            over: padded((4 << 20) + 1),
            pointer: "",
            code: .tooLarge
        ),
        Limit(
            testDescription: "depth 16",
            within: nested(16),
            over: nested(17),
            pointer: "/content/data/deep" + String(repeating: "/0", count: 13),
            code: .tooDeep
        ),
    ]

    @Test(arguments: all)
    func `the limit itself is within`(_ limit: Limit) {
        let decoding = JobFixtures.decode(limit.within)
        #expect(decoding.problems.map(\.text) == [])
        #expect(decoding.job != nil)
    }

    @Test(arguments: all)
    func `one more is refused where it stands`(_ limit: Limit) {
        let decoding = JobFixtures.decode(limit.over)
        #expect(decoding.problems.map { "\($0.pointer) \($0.code)" } == ["\(limit.pointer) \(limit.code.rawValue)"])
        #expect(decoding.job == nil)
    }
}
