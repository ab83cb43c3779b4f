import Campaigns
import Fleet
import NIOCore
import Store
import Synchronization
import Transport

/// The ledger held against the simulator's own count, device by device.
struct DemoComparison: Sendable {
    /// What one side counted.
    struct Side: Sendable {
        /// Device tokens that it knows.
        var tokens = 0
        /// Requests over all of them.
        var requests = 0
        /// Tokens that a push arrived at.
        var accepted = 0
    }

    /// A token of which the two tell different stories.
    struct Difference: Sendable {
        let token: String
        let ledger: String
        let simulator: String
    }

    /// As many differences are shown.
    static let shownMax = 10

    fileprivate(set) var ledger = Side()
    fileprivate(set) var simulator = Side()
    /// How many tokens differ.
    fileprivate(set) var differing = 0
    /// The first of them.
    fileprivate(set) var differences: [Difference] = []

    /// Whether both tell the same story.
    var agrees: Bool { differing == 0 && ledger.requests == simulator.requests }

    /// Reads both sides, a page at a time; the simulator's counts are kept in some 50 bytes a token.
    static func make(ledger: Ledger, campaign: UInt32, control: HTTP1Client) async throws -> DemoComparison {
        let seen = SeenTokens()
        let status: Int
        do {
            status = try await control.stream("/tokens") { seen.add($0) }
        } catch {
            throw CommandFailure(.failed, "the simulator's count cannot be read: \(error)")
        }
        guard status == 200, seen.isWhole else {
            throw CommandFailure(.failed, "the simulator's count cannot be read: it answered \(status)")
        }
        let comparison = Mutex(DemoComparison())
        comparison.withLock { $0.simulator = seen.total }
        try await ledger.devices(campaign: campaign) { device in
            comparison.withLock { $0.take(device, seen.remove(TokenKey(bytes: device.token))) }
        }
        return comparison.withLock { result in
            for (token, counts) in seen.rest { result.note(token.text, "unknown", counts.text) }
            return result
        }
    }

    private mutating func take(_ device: DeviceResult, _ counts: SeenCounts?) {
        let counts = counts ?? SeenCounts()
        let isAccepted = device.outcome == .accepted
        ledger.tokens += 1
        ledger.requests += device.requests
        ledger.accepted += isAccepted ? 1 : 0
        guard device.requests != Int(counts.requests) || isAccepted != (counts.accepted > 0) else { return }
        let outcome = device.outcome?.name ?? "pending"
        note(HexText.of(device.token), "\(device.requests) requests, \(outcome)", counts.text)
    }

    private mutating func note(_ token: String, _ ledger: String, _ simulator: String) {
        differing += 1
        if differences.count < Self.shownMax {
            differences.append(Difference(token: token, ledger: ledger, simulator: simulator))
        }
    }
}

extension DemoComparison {
    /// For people: the sums beside each other, then what differs.
    var text: String {
        var table = TextTable([("", .left), ("ledger", .right), ("simulator", .right)])
        let rows = [
            ("tokens", ledger.tokens, simulator.tokens), ("requests", ledger.requests, simulator.requests),
            ("accepted", ledger.accepted, simulator.accepted),
        ]
        for (name, left, right) in rows { table.add([name, NumberText.grouped(left), NumberText.grouped(right)]) }
        guard differing > 0 else { return table.text }
        var list = TextTable([("token", .left), ("ledger", .left), ("simulator", .left)])
        for difference in differences { list.add([difference.token, difference.ledger, difference.simulator]) }
        return "\(table.text)\n\n\(NumberText.grouped(differing)) tokens differ, the first of them:\n\(list.text)"
    }

    /// For scripts.
    var json: JSONValue {
        func side(_ side: Side) -> JSONValue {
            .object([
                "tokens": .number(JSONNumber(side.tokens)), "requests": .number(JSONNumber(side.requests)),
                "accepted": .number(JSONNumber(side.accepted)),
            ])
        }
        return .object([
            "agrees": .bool(agrees), "ledger": side(ledger), "simulator": side(simulator),
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

/// 32 bytes of a device token.
private struct TokenKey: Hashable {
    private var words = SIMD4<UInt64>()

    init(bytes: some Sequence<UInt8>) {
        for (index, byte) in bytes.prefix(32).enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(56 - index % 8 * 8)
        }
    }

    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        self.init(bytes: stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    var text: String {
        HexText.of((0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) })
    }
}

/// What the simulator saw of one token.
private struct SeenCounts {
    var requests: UInt32 = 0
    var accepted: UInt32 = 0

    var text: String { "\(requests) requests, accepted \(accepted)" }
}

/// The simulator's answer to `GET /tokens`, an object a line, as it comes in.
private final class SeenTokens: Sendable {
    fileprivate struct State {
        var tokens: [TokenKey: SeenCounts] = [:]
        var line: [UInt8] = []
        var total = DemoComparison.Side()
        var isBroken = false
    }

    private let state = Mutex(State())

    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            var rest = bytes[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                state.line += rest[..<end]
                state.takeLine()
                rest = rest[(end + 1)...]
            }
            state.line += rest
        }
    }

    /// Whether every line was understood, the last one too.
    var isWhole: Bool { state.withLock { !$0.isBroken && $0.line.isEmpty } }
    var total: DemoComparison.Side { state.withLock { $0.total } }
    func remove(_ token: TokenKey) -> SeenCounts? { state.withLock { $0.tokens.removeValue(forKey: token) } }
    var rest: [TokenKey: SeenCounts] { state.withLock { $0.tokens } }
}

extension SeenTokens.State {
    mutating func takeLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard let object = JSONReader.read(line).value, let token = object["token"]?.string,
            let key = TokenKey(hexadecimal: token), let requests = object["requests"]?.integer,
            let accepted = object["accepted"]?.integer
        else {
            isBroken = true
            return
        }
        tokens[key] = SeenCounts(
            requests: UInt32(clamping: requests),
            accepted: UInt32(clamping: accepted)
        )
        total.tokens += 1
        total.requests += Int(requests)
        total.accepted += accepted > 0 ? 1 : 0
    }
}
