import Campaigns
import Operations
import PushProviders
import Synchronization
import TLS
import Transport

/// The simulator's key of a device token, in 32 bytes.
struct TokenKey: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    /// Makes the key of a token as the ledger stores it: a hexadecimal token itself, otherwise the SHA-256 of its text
    /// or of the last segment of an address' path.
    init(_ token: ArraySlice<UInt8>, of provider: ProviderName) {
        if ProviderRegistry.tokens[provider]?.isHexadecimal == true {
            self.init(bytes: token)
        } else {
            let address = token.prefix { $0 != UInt8(ascii: "#") }
            let name = address.lastIndex(of: UInt8(ascii: "/")).map { address[($0 + 1)...] } ?? address
            self.init(bytes: SHA256.digest(Array(name)))
        }
    }

    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        self.init(bytes: stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    private init(bytes: some Sequence<UInt8>) {
        for (index, byte) in bytes.prefix(32).enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(56 - index % 8 * 8)
        }
    }

    /// The key's hexadecimal digits, as the simulator writes them.
    var text: String {
        Hexadecimal.text((0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) })
    }
}

/// The simulator's counts of one token.
struct SeenCounts: Sendable {
    var requests: UInt32 = 0
    var accepted: UInt32 = 0

    var text: String { "\(requests) requests, accepted \(accepted)" }
}

/// The simulator's answer to `GET /tokens`, parsed line by line as it arrives.
final class SeenTokens: Sendable {
    fileprivate struct State {
        var tokens: [TokenKey: SeenCounts] = [:]
        var line: [UInt8] = []
        var total = DemoComparison.Side()
        var isBroken = false
    }

    private let state = Mutex(State())

    /// Reads all tokens of one provider from the simulator.
    static func read(of provider: ProviderName, _ control: HTTP1Client) async throws -> SeenTokens {
        let seen = SeenTokens()
        let status: Int
        do {
            status = try await control.stream("/tokens?provider=\(provider.rawValue)") { seen.add($0) }
        } catch {
            throw CommandFailure(.failed, "the simulator's count cannot be read: \(error)")
        }
        guard status == 200, seen.isWhole else {
            throw CommandFailure(.failed, "the simulator's count cannot be read: it answered \(status)")
        }
        return seen
    }

    /// The sums over all tokens.
    var total: DemoComparison.Side { state.withLock { $0.total } }
    /// The tokens not removed so far.
    var rest: [TokenKey: SeenCounts] { state.withLock { $0.tokens } }

    /// Removes a token and returns its counts.
    func remove(_ token: TokenKey) -> SeenCounts? { state.withLock { $0.tokens.removeValue(forKey: token) } }

    private func add(_ bytes: [UInt8]) {
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

    /// True if every line was parsed, the last one included.
    private var isWhole: Bool { state.withLock { !$0.isBroken && $0.line.isEmpty } }
}

extension SeenTokens.State {
    mutating func takeLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard let object = JSONReader.read(line).value,
            let token = (object["token"] ?? object["sha256"])?.string,
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
