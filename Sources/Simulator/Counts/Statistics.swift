/// What the simulator has seen since it started or was reset.
public struct Statistics: Sendable, Equatable {
    /// Requests that were processed: answered, reset after the fact, or left without an answer.
    public var requests: UInt64 = 0
    /// Answers 200.
    public var accepted: UInt64 = 0
    /// Answers by status; 200 among them.
    public var statuses: [Int: UInt64] = [:]
    /// Answers by reason.
    public var reasons: [String: UInt64] = [:]
    /// Streams that were refused unprocessed (REFUSED_STREAM by fault, or above the last stream of a GOAWAY).
    public var refused: UInt64 = 0
    /// Streams that were reset after they were processed.
    public var reset: UInt64 = 0
    /// Streams that were processed and never answered.
    public var stalled: UInt64 = 0
    /// Different device tokens that came in a processed or refused request.
    public var distinctTokens = 0
    /// Tokens that were accepted more than once.
    public var repeatedTokens = 0
    /// Connections that were accepted.
    public var connectionsOpened: UInt64 = 0
    /// Connections that are open now.
    public var connectionsOpen: Int = 0
    /// TLS handshakes that failed.
    public var handshakesFailed: UInt64 = 0
    /// GOAWAYs sent.
    public var goAways: UInt64 = 0
    /// Different provider tokens that came with a good signature, whatever their age, by key id.
    public var providerTokens: [String: Int] = [:]
    /// The most keys that any one connection showed tokens of.
    public var keysMost: Int = 0
    /// The most streams that any one connection had open at once.
    public var streamsMost: Int = 0
    /// The most streams that any one connection had open before its credential was seen.
    public var streamsMostUnauthenticated: Int = 0

    /// All numbers as one JSON object with snake-case names.
    public var json: String {
        let statuses = statuses.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        let reasons = reasons.sorted { $0.key < $1.key }.map { "\(JSONNode.quoted($0.key)):\($0.value)" }
        let tokens = providerTokens.sorted { $0.key < $1.key }.map { "\(JSONNode.quoted($0.key)):\($0.value)" }
        let members = [
            "\"requests\":\(requests)", "\"accepted\":\(accepted)", "\"statuses\":{\(statuses.joined(separator: ","))}",
            "\"reasons\":{\(reasons.joined(separator: ","))}", "\"refused\":\(refused)", "\"reset\":\(reset)",
            "\"stalled\":\(stalled)", "\"distinct_tokens\":\(distinctTokens)",
            "\"repeated_tokens\":\(repeatedTokens)", "\"connections_opened\":\(connectionsOpened)",
            "\"connections_open\":\(connectionsOpen)", "\"handshakes_failed\":\(handshakesFailed)",
            "\"goaways\":\(goAways)", "\"provider_tokens\":{\(tokens.joined(separator: ","))}",
            "\"keys_most\":\(keysMost)", "\"streams_most\":\(streamsMost)",
            "\"streams_most_unauthenticated\":\(streamsMostUnauthenticated)",
        ]
        return "{\(members.joined(separator: ","))}"
    }
}

/// The running totals of one event loop.
struct LoopTotals {
    /// By `APNsReason.allCases` index, 200 last.
    var answers: [UInt64] = Array(repeating: 0, count: APNsReason.allCases.count + 1)
    /// Malformed answers by status.
    var malformed: [Int: UInt64] = [:]
    var refused: UInt64 = 0
    var reset: UInt64 = 0
    var stalled: UInt64 = 0
    var connectionsOpened: UInt64 = 0
    var connectionsOpen = 0
    var handshakesFailed: UInt64 = 0
    var goAways: UInt64 = 0
    var streamsMost = 0
    var streamsMostUnauthenticated = 0

    private static let indexes = Dictionary(
        uniqueKeysWithValues: APNsReason.allCases.enumerated().map { ($0.element, $0.offset) }
    )

    mutating func note(_ reaction: Reaction) {
        switch reaction {
        case .refuse: refused += 1
        case .reset: reset += 1
        case .stall: stalled += 1
        case .answer(let answer) where answer.malformed != nil: malformed[answer.status, default: 0] += 1
        case .answer(let answer):
            let last = APNsReason.allCases.count
            answers[answer.reason.flatMap { Self.indexes[$0] } ?? last] += 1
        }
    }

    /// Back to zero, but for what is open now.
    mutating func forget() {
        let open = connectionsOpen
        self = LoopTotals()
        connectionsOpen = open
    }

    func add(to statistics: inout Statistics) {
        let accepted = answers[answers.count - 1]
        statistics.accepted += accepted
        if accepted > 0 { statistics.statuses[200, default: 0] += accepted }
        for (reason, count) in zip(APNsReason.allCases, answers) where count > 0 {
            statistics.statuses[reason.status, default: 0] += count
            statistics.reasons[reason.rawValue, default: 0] += count
        }
        statistics.accepted += malformed[200, default: 0]
        statistics.statuses.merge(malformed, uniquingKeysWith: +)
        statistics.requests += answers.reduce(0, +) + malformed.values.reduce(0, +) + reset + stalled
        statistics.refused += refused
        statistics.reset += reset
        statistics.stalled += stalled
        statistics.connectionsOpened += connectionsOpened
        statistics.connectionsOpen += connectionsOpen
        statistics.handshakesFailed += handshakesFailed
        statistics.goAways += goAways
        statistics.streamsMost = max(statistics.streamsMost, streamsMost)
        statistics.streamsMostUnauthenticated = max(
            statistics.streamsMostUnauthenticated,
            streamsMostUnauthenticated
        )
    }
}
