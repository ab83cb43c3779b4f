import Campaigns

/// A phone in a match, with its tokens for Live Activities.
struct ActivityFan: Sendable {
    /// The part that a phone plays.
    enum Role: Sendable {
        /// Its person is in another segment.
        case elsewhere
        /// It has no token to start with.
        case tokenless
        /// It says the activity's token after half of the updates.
        case late
        /// It gets another token for the activity midway.
        case moving
        /// Its person takes the activity off the screen midway.
        case leaving
        /// Its activity has ended, which Apple knows and the app does not.
        case gone
        /// The service is out for its activity.
        case unsteady
        case steady

        /// One phone of twenty for each role, three for which the service is out, and the others.
        fileprivate init(_ number: Int) {
            switch number % 20 {
            case 0: self = .elsewhere
            case 1: self = .tokenless
            case 2: self = .late
            case 3: self = .moving
            case 4: self = .leaving
            case 5: self = .gone
            case 6, 11, 16: self = .unsteady
            default: self = .steady
            }
        }

        /// The beginning of the activity's token, by which the simulator's rules know it.
        fileprivate var prefix: String {
            switch self {
            case .gone: "dead"
            case .unsteady: "5030"
            case .elsewhere, .tokenless, .late, .moving, .leaving, .steady: "c"
            }
        }
    }

    let role: Role
    private(set) var phone: Phone
    /// The token that starts activities, which the phone has unless it is without one.
    let start: String
    /// The activity's token.
    let first: String
    /// The token that the activity gets midway, on some phones.
    let second: String

    /// All tokens that the phone may have for Live Activities.
    var tokens: [String] { [start, first, second] }

    /// The token that takes the activity's end; nil if the phone does not follow it so long.
    var last: String? {
        switch role {
        case .elsewhere, .tokenless, .leaving, .gone: nil
        case .moving: second
        case .late, .unsteady, .steady: first
        }
    }

    /// Registers many phones at the edge, each with its tag and its token to start with.
    static func registered(_ count: Int, _ edge: Phone.Edge, key: String) async throws -> [ActivityFan] {
        var tokens: [String: [String]] = [:]
        for prefix in ["a", "b", "c", "dead", "5030", "e"] {
            tokens[prefix] = TestDevices.tokens(count, prefix: prefix)
        }
        let fans = (0..<count).map { number in
            func token(_ prefix: String) -> String { tokens[prefix]?[number] ?? "" }
            let role = Role(number)
            return ActivityFan(
                role: role,
                phone: Phone(id: "phone-\(number)", token: token("a")),
                start: token("b"),
                first: token(role.prefix),
                second: token("e")
            )
        }
        return try await Phone.Edge.forEach(fans) { fan in
            var fan = fan
            let tag: JSONValue = fan.role == .elsewhere ? "cup" : "derby"
            let more = [JSONMember("tags", ["add": [tag]]), Phone.activities(fan.starting)]
            fan.phone = try await fan.phone.registered(edge, key: key, more)
            return fan
        }
    }

    /// Says the token of the activity, or that the phone does not follow it.
    func says(_ token: String?, to edge: Phone.Edge) async throws {
        var tokens = starting
        if let token { tokens.append((id: "match-7", token: token)) }
        try await phone.says(tokens, to: edge)
    }

    private var starting: [(id: String?, token: String)] { role == .tokenless ? [] : [(id: nil, token: start)] }
}
