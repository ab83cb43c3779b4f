/// An IP address of 16 bytes, with IPv4 mapped to IPv6 (RFC 4291, section 2.5.5.2); pure.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private static let mapped: UInt64 = 0xFFFF_0000_0000

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// An address of 4 or 16 bytes; nil for any other length.
    public init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(high: 0, low: Self.mapped | number(bytes))
        case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// An address as text (RFC 4291, section 2.2), without brackets, port and zone; nil if the text is none.
    public init?(_ text: some StringProtocol) {
        if !text.contains(":") {
            guard let four = Self.four(text) else { return nil }
            self.init(high: 0, low: Self.mapped | UInt64(four))
            return
        }
        guard let groups = Self.groups(text) else { return nil }
        self.init(
            high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) },
            low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
        )
    }

    /// True for an IPv4 address.
    public var isFour: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The unit that limits count by: an IPv4 address itself, or the 64-bit network that one IPv6 customer has.
    public var network: ClientAddress { isFour ? self : ClientAddress(high: high, low: 0) }

    /// Returns true if the first `bits` of the 128 bits are the same.
    func shares(_ bits: Int, with other: ClientAddress) -> Bool {
        func same(_ left: UInt64, _ right: UInt64, _ bits: Int) -> Bool {
            bits <= 0 || (left ^ right) >> UInt64(64 - min(64, bits)) == 0
        }
        return same(high, other.high, bits) && same(low, other.low, bits - 64)
    }

    /// The usual notation; IPv6 without any shortening.
    public var description: String {
        if isFour { return (0..<4).map { String(low >> UInt64(24 - 8 * $0) & 255) }.joined(separator: ".") }
        let groups = [high, low].flatMap { half in (0..<4).map { half >> UInt64(48 - 16 * $0) & 0xFFFF } }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Reads four numbers without leading zeros, which some parsers read as octal.
    private static func four(_ text: some StringProtocol) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var number: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                part.utf8.count == 1 || part.utf8.first != 48, let value = UInt8(String(part))
            else { return nil }
            number = number << 8 | UInt32(value)
        }
        return number
    }

    private static func groups(_ text: some StringProtocol) -> [UInt16]? {
        let text = String(text)
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            let groups = list(Substring(text))
            return groups?.count == 8 ? groups : nil
        }
        guard let head = list(text[..<gap.lowerBound]), let tail = list(text[gap.upperBound...]),
            head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func list(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains("."), let four = four(part) {
                groups += [UInt16(four >> 16), UInt16(four & 0xFFFF)]
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}

/// The addresses of proxies whose statements about their clients are trusted; pure.
public struct TrustedProxies: Sendable, Equatable {
    private struct Range: Sendable, Equatable {
        let address: ClientAddress
        let bits: Int
    }

    private var ranges: [Range] = []

    /// No proxies.
    public init() {}

    /// Reads the ranges of a setting, and returns the invalid texts too: `10.0.0.0/8`, `2001:db8::/32` or a single
    /// address.
    public static func read(_ texts: [String]) -> (proxies: TrustedProxies, refused: [String]) {
        var (proxies, refused) = (TrustedProxies(), [String]())
        for text in texts {
            let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = halves.first.flatMap({ ClientAddress($0) }) else {
                refused.append(text)
                continue
            }
            let most = address.isFour ? 32 : 128
            let bits = halves.count == 2 ? Int(halves[1]).flatMap { (0...most).contains($0) ? $0 : nil } : most
            guard let bits, halves.count == 1 || halves[1].allSatisfy(\.isNumber) else {
                refused.append(text)
                continue
            }
            proxies.ranges.append(Range(address: address, bits: address.isFour ? bits + 96 : bits))
        }
        return (proxies, refused)
    }

    /// True if no proxy is trusted.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Returns true if an address is in one of the ranges.
    public func contains(_ address: ClientAddress) -> Bool {
        ranges.contains { address.shares($0.bits, with: $0.address) }
    }
}
