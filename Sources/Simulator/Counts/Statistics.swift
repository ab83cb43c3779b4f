/// The simulator's counts since it started or was reset.
public struct Statistics: Sendable, Equatable {
    /// Requests that were processed: answered, reset after the fact, or left without an answer.
    public var requests: UInt64 = 0
    /// Answers that accepted a message (200; Web Push: 201).
    public var accepted: UInt64 = 0
    /// Answers by status; 200 among them.
    public var statuses: [Int: UInt64] = [:]
    /// Answers by reason.
    public var reasons: [String: UInt64] = [:]
    /// Streams that were refused unprocessed (by the REFUSED_STREAM fault, or above a GOAWAY's last stream).
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
    /// The number of different provider tokens with a valid signature, whatever their age, by key id.
    public var providerTokens: [String: Int] = [:]
    /// The most keys whose tokens one connection showed.
    public var keysMost: Int = 0
    /// The most streams that one connection had open at once.
    public var streamsMost: Int = 0
    /// The most streams that one connection had open before its credential was seen.
    public var streamsMostUnauthenticated: Int = 0

    /// Answered requests that are not messages: fetches of access tokens and dry runs.
    ///
    /// Not in `requests`.
    public var asides: UInt64 = 0
    /// The counts that only one provider has, by name.
    public var own: [String: UInt64] = [:]
    /// The statistics of each provider by name, when several are simulated; empty otherwise.
    public var providers: [String: Statistics] = [:]

    /// The statistics as one JSON object with snake-case names.
    public var json: String {
        let statuses = statuses.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        let reasons = reasons.sorted { $0.key < $1.key }.map { "\(JSONNode.quoted($0.key)):\($0.value)" }
        let tokens = providerTokens.sorted { $0.key < $1.key }.map { "\(JSONNode.quoted($0.key)):\($0.value)" }
        var members = [
            "\"requests\":\(requests)", "\"accepted\":\(accepted)", "\"statuses\":{\(statuses.joined(separator: ","))}",
            "\"reasons\":{\(reasons.joined(separator: ","))}", "\"refused\":\(refused)", "\"reset\":\(reset)",
            "\"stalled\":\(stalled)", "\"distinct_tokens\":\(distinctTokens)",
            "\"repeated_tokens\":\(repeatedTokens)", "\"connections_opened\":\(connectionsOpened)",
            "\"connections_open\":\(connectionsOpen)", "\"handshakes_failed\":\(handshakesFailed)",
            "\"goaways\":\(goAways)", "\"provider_tokens\":{\(tokens.joined(separator: ","))}",
            "\"keys_most\":\(keysMost)", "\"streams_most\":\(streamsMost)",
            "\"streams_most_unauthenticated\":\(streamsMostUnauthenticated)",
        ]
        if asides > 0 { members.append("\"asides\":\(asides)") }
        for (name, count) in own.sorted(by: { $0.key < $1.key }) { members.append("\(JSONNode.quoted(name)):\(count)") }
        if !providers.isEmpty {
            let parts = providers.sorted { $0.key < $1.key }.map { "\(JSONNode.quoted($0.key)):\($0.value.json)" }
            members.append("\"providers\":{\(parts.joined(separator: ","))}")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Adds another provider's statistics.
    static func += (left: inout Statistics, right: Statistics) {
        left.requests += right.requests
        left.accepted += right.accepted
        left.statuses.merge(right.statuses, uniquingKeysWith: +)
        left.reasons.merge(right.reasons, uniquingKeysWith: +)
        left.refused += right.refused
        left.reset += right.reset
        left.stalled += right.stalled
        left.distinctTokens += right.distinctTokens
        left.repeatedTokens += right.repeatedTokens
        left.connectionsOpened += right.connectionsOpened
        left.connectionsOpen += right.connectionsOpen
        left.handshakesFailed += right.handshakesFailed
        left.goAways += right.goAways
        left.providerTokens.merge(right.providerTokens, uniquingKeysWith: +)
        left.keysMost = max(left.keysMost, right.keysMost)
        left.streamsMost = max(left.streamsMost, right.streamsMost)
        left.streamsMostUnauthenticated = max(left.streamsMostUnauthenticated, right.streamsMostUnauthenticated)
        left.asides += right.asides
        left.own.merge(right.own, uniquingKeysWith: +)
    }
}
