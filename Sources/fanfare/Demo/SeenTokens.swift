import Campaigns
import PushProviders
import Synchronization
import TLS
import Transport

/// What the simulator lists a device token under, in 32 bytes.
struct TokenKey: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    /// The key of a token as the ledger keeps it: itself where a provider's tokens are hexadecimal digits, otherwise a
    /// SHA-256: of the text, or of what an address's path ends with.
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

    /// Hexadecimal digits, as the simulator writes them.
    var text: String {
        HexText.of((0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) })
    }
}

/// What the simulator saw of one token.
struct SeenCounts: Sendable {
    var requests: UInt32 = 0
    var accepted: UInt32 = 0

    var text: String { "\(requests) requests, accepted \(accepted)" }
}

/// The simulator's answer to `GET /tokens`, an object a line, as it comes in.
final class SeenTokens: Sendable {
    fileprivate struct State {
        var tokens: [TokenKey: SeenCounts] = [:]
        var line: [UInt8] = []
        var total = DemoComparison.Side()
        var isBroken = false
    }

    private let state = Mutex(State())

    /// All tokens that the simulator saw of one provider.
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

    /// The sums.
    var total: DemoComparison.Side { state.withLock { $0.total } }
    /// What nobody removed.
    var rest: [TokenKey: SeenCounts] { state.withLock { $0.tokens } }

    /// The counts of a token, which are forgotten here.
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

    /// Whether every line was understood, the last one too.
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
