import Campaigns
import Operations
import PushProviders
import Store
import Synchronization
import Transport

/// A comparison of the ledger with the simulator's own count, device by device.
struct DemoComparison: Sendable {
    /// The counts of one side.
    struct Side: Sendable, Equatable {
        /// Device tokens that the side knows.
        var tokens = 0
        /// Requests over all tokens.
        var requests = 0
        /// Tokens that accepted a push.
        var accepted = 0

        /// Adds two counts.
        static func + (one: Side, other: Side) -> Side {
            Side(
                tokens: one.tokens + other.tokens,
                requests: one.requests + other.requests,
                accepted: one.accepted + other.accepted
            )
        }
    }

    /// One provider's devices by both sides' counts.
    struct Share: Sendable {
        let provider: ProviderName
        fileprivate(set) var ledger = Side()
        fileprivate(set) var simulator = Side()
    }

    /// A token on which the sides disagree.
    struct Difference: Sendable {
        let token: String
        let ledger: String
        let simulator: String
    }

    /// The most differences that are shown.
    static let shownMax = 10

    /// The counts of each simulated provider.
    fileprivate(set) var shares: [Share]
    /// The number of tokens that differ.
    fileprivate(set) var differing = 0
    /// The first differences.
    fileprivate(set) var differences: [Difference] = []

    var ledger: Side { shares.map(\.ledger).reduce(Side(), +) }
    var simulator: Side { shares.map(\.simulator).reduce(Side(), +) }

    /// True if both sides agree.
    var agrees: Bool { differing == 0 && shares.allSatisfy { $0.ledger.requests == $0.simulator.requests } }

    /// Reads both sides, a page at a time; the simulator's counts take some 50 bytes a token.
    static func make(
        ledger: Ledger,
        campaign: UInt32,
        providers: [ProviderName],
        control: HTTP1Client
    ) async throws -> DemoComparison {
        var (shares, seen) = ([Share](), [ProviderName: SeenTokens]())
        for provider in providers {
            let tokens = try await SeenTokens.read(of: provider, control)
            seen[provider] = tokens
            shares.append(Share(provider: provider, simulator: tokens.total))
        }
        let comparison = Mutex(DemoComparison(shares: shares))
        let tokens = seen
        try await ledger.devices(campaign: campaign) { device in
            let counts = tokens[device.provider]?.remove(TokenKey(device.token, of: device.provider))
            comparison.withLock { $0.take(device, counts) }
        }
        return comparison.withLock { result in
            for (token, counts) in providers.compactMap({ seen[$0]?.rest }).joined() {
                result.note(token.text, "unknown", counts.text)
            }
            return result
        }
    }

    private mutating func take(_ device: DeviceResult, _ counts: SeenCounts?) {
        let counts = counts ?? SeenCounts()
        let isAccepted = device.outcome == .accepted
        let share = shares.firstIndex { $0.provider == device.provider }
        if let share {
            let more = Side(tokens: 1, requests: device.requests, accepted: isAccepted ? 1 : 0)
            shares[share].ledger = shares[share].ledger + more
        }
        let isSame = device.requests == Int(counts.requests) && isAccepted == (counts.accepted > 0)
        guard share == nil || !isSame else { return }
        let outcome = device.outcome?.name ?? "pending"
        let token = ProviderRegistry.tokens.text(of: Array(device.token), provider: device.provider)
        note(token, "\(device.requests) requests, \(outcome)", counts.text)
    }

    private mutating func note(_ token: String, _ ledger: String, _ simulator: String) {
        differing += 1
        if differences.count < Self.shownMax {
            differences.append(Difference(token: token, ledger: ledger, simulator: simulator))
        }
    }
}

extension DemoComparison {
    /// The result for people: the sums side by side, for each provider where there are several, then the differences.
    var text: String {
        var table = TextTable([("", .left), ("ledger", .right), ("simulator", .right)])
        func add(_ of: String, _ ledger: Side, _ simulator: Side) {
            let rows = [
                ("tokens", ledger.tokens, simulator.tokens), ("requests", ledger.requests, simulator.requests),
                ("accepted", ledger.accepted, simulator.accepted),
            ]
            for (name, left, right) in rows {
                table.add([of + name, NumberText.grouped(left), NumberText.grouped(right)])
            }
        }
        if shares.count > 1 {
            for share in shares { add("\(share.provider.rawValue) ", share.ledger, share.simulator) }
        }
        add("", ledger, simulator)
        guard differing > 0 else { return table.text }
        var list = TextTable([("token", .left), ("ledger", .left), ("simulator", .left)])
        for difference in differences { list.add([difference.token, difference.ledger, difference.simulator]) }
        return "\(table.text)\n\n\(NumberText.grouped(differing)) tokens differ, the first of them:\n\(list.text)"
    }

    /// The result, for scripts.
    var json: JSONValue {
        func side(_ side: Side) -> JSONValue {
            .object([
                "tokens": .number(JSONNumber(side.tokens)), "requests": .number(JSONNumber(side.requests)),
                "accepted": .number(JSONNumber(side.accepted)),
            ])
        }
        return .object([
            "agrees": .bool(agrees), "ledger": side(ledger), "simulator": side(simulator),
            "providers": .object(
                shares.map { share in
                    let sides = JSONValue.object(["ledger": side(share.ledger), "simulator": side(share.simulator)])
                    return JSONMember(share.provider.rawValue, sides)
                }
            ),
            "differing": .number(JSONNumber(differing)),
            "differences": .array(
                differences.map { ["token": $0.token, "ledger": $0.ledger, "simulator": $0.simulator] }
                    .map { pairs in
                        .object(pairs.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) })
                    }
            ),
        ])
    }
}
