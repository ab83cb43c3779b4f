/// Which addresses a pool may connect to.
///
/// Where strangers say which host a request goes to (a browser's push subscription, RFC 8030 section 8.5 and RFC 8291
/// section 7), a name may lead into the network that we stand in. So the addresses are judged, not the name, each time
/// before a connection is made, and the connection goes to the very address that was judged.
public enum AddressReach: String, Sendable, Hashable, CaseIterable {
    /// All of them: the host is an operator's choice.
    case any
    /// Addresses that are reachable from the whole internet by IANA's registries for special purposes.
    case global
    /// This machine's own, for trying out.
    case loopback

    /// Whether an address may be connected to; its bytes in the network's order, 4 or 16 of them.
    ///
    /// Anything with another length is no address and allowed by nobody.
    public func allows(_ address: [UInt8]) -> Bool {
        guard address.count == 4 || address.count == 16 else { return false }
        return switch self {
        case .any: true
        case .global: address.count == 4 ? Self.isGlobalIPv4(address[...]) : Self.isGlobalIPv6(address)
        case .loopback: address.count == 4 ? address[0] == 127 : address == Self.loopbackIPv6
        }
    }

    /// RFC 4291 section 2.5.3.
    private static let loopbackIPv6 = [UInt8](repeating: 0, count: 15) + [1]

    /// A block of addresses.
    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        /// Whether an address is one of them.
        func holds(_ address: ArraySlice<UInt8>) -> Bool {
            let whole = bits / 8
            guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
            guard bits % 8 > 0 else { return true }
            let mask = ~(UInt8.max >> UInt8(bits % 8))
            return (address[address.startIndex + whole] ^ prefix[whole]) & mask == 0
        }
    }

    /// IANA, "IPv4 Special-Purpose Address Registry": what is not globally reachable there, and what is not unicast.
    ///
    /// 192.0.0.0/24 as a whole: what is reachable in it (PCP and TURN anycast) is no push service.
    private static let specialIPv4 = [
        Block(prefix: [0], bits: 8),  // this network
        Block(prefix: [10], bits: 8),  // private
        Block(prefix: [100, 64], bits: 10),  // shared by carriers
        Block(prefix: [127], bits: 8),  // loopback
        Block(prefix: [169, 254], bits: 16),  // link-local; clouds answer for their machines there
        Block(prefix: [172, 16], bits: 12),  // private
        Block(prefix: [192, 0, 0], bits: 24),  // protocol assignments
        Block(prefix: [192, 0, 2], bits: 24),  // documentation
        Block(prefix: [192, 88, 99], bits: 24),  // 6to4 relays, deprecated
        Block(prefix: [192, 168], bits: 16),  // private
        Block(prefix: [198, 18], bits: 15),  // benchmarks
        Block(prefix: [198, 51, 100], bits: 24),  // documentation
        Block(prefix: [203, 0, 113], bits: 24),  // documentation
        Block(prefix: [224], bits: 4),  // multicast
        Block(prefix: [240], bits: 4),  // reserved, and broadcast
    ]

    /// The only block of IPv6 from which unicast addresses are given out (IANA, "IPv6 Address Space").
    private static let unicastIPv6 = Block(prefix: [0x20], bits: 3)

    /// IANA, "IPv6 Special-Purpose Address Registry": what is not globally reachable within `unicastIPv6`.
    ///
    /// 2001::/23 as a whole, which has Teredo and benchmarks besides what is reachable in it (anycast for PCP, TURN and
    /// AMT, identifiers): no push service is there.
    private static let specialIPv6 = [
        Block(prefix: [0x20, 0x01, 0x00], bits: 23),  // protocol assignments
        Block(prefix: [0x20, 0x01, 0x0d, 0xb8], bits: 32),  // documentation
        Block(prefix: [0x20, 0x02], bits: 16),  // 6to4, deprecated: leads to an address of IPv4
        Block(prefix: [0x3f, 0xff, 0x00], bits: 20),  // documentation
    ]

    /// Blocks whose last four bytes are an address of IPv4, to which a packet goes in the end.
    private static let ofIPv4 = [
        // Mapped (RFC 4291 section 2.5.5.2): the socket connects over IPv4.
        Block(prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], bits: 96),
        // NAT64 (RFC 6052 section 2.1), as DNS64 gives it in a network without IPv4; the local-use prefix 64:ff9b:1::/48
        // is for a network's own and lies outside what is given out.
        Block(prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96),
    ]

    private static func isGlobalIPv4(_ address: ArraySlice<UInt8>) -> Bool {
        !specialIPv4.contains { $0.holds(address) }
    }

    private static func isGlobalIPv6(_ address: [UInt8]) -> Bool {
        if ofIPv4.contains(where: { $0.holds(address[...]) }) { return isGlobalIPv4(address[12...]) }
        return unicastIPv6.holds(address[...]) && !specialIPv6.contains { $0.holds(address[...]) }
    }
}
