/// The addresses to which a pool may connect.
///
/// Strangers may say which host a request goes to (a browser's push subscription, RFC 8030 section 8.5 and RFC 8291
/// section 7). Then a name may lead into our own network. So the addresses are judged, not the name, each time before a
/// connection is made. The connection goes to the very address that was judged.
public enum AddressScope: String, Sendable, Hashable, CaseIterable {
    /// All addresses: the host is an operator's choice.
    case any
    /// Addresses that are reachable from the whole internet by IANA's registries for special purposes.
    case global
    /// This machine's own addresses, for trying out.
    case loopback

    /// Returns true if a connection to the address is allowed; the address has 4 or 16 bytes in network order.
    ///
    /// Anything of another length is not an address and never allowed.
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

        /// Returns true if an address is in the block.
        func holds(_ address: ArraySlice<UInt8>) -> Bool {
            let whole = bits / 8
            guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
            guard bits % 8 > 0 else { return true }
            let mask = ~(UInt8.max >> UInt8(bits % 8))
            return (address[address.startIndex + whole] ^ prefix[whole]) & mask == 0
        }
    }

    /// The IPv4 blocks that are not globally reachable by IANA's "IPv4 Special-Purpose Address Registry", or not
    /// unicast.
    ///
    /// 192.0.0.0/24 is listed as a whole: its reachable addresses (PCP and TURN anycast) are no push services.
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

    /// The blocks in `unicastIPv6` that are not globally reachable by IANA's "IPv6 Special-Purpose Address Registry".
    ///
    /// 2001::/23 is listed as a whole. It has Teredo and benchmarks besides its reachable addresses (anycast for PCP,
    /// TURN and AMT, identifiers), and no push service is there.
    private static let specialIPv6 = [
        Block(prefix: [0x20, 0x01, 0x00], bits: 23),  // protocol assignments
        Block(prefix: [0x20, 0x01, 0x0d, 0xb8], bits: 32),  // documentation
        Block(prefix: [0x20, 0x02], bits: 16),  // 6to4, deprecated: leads to an address of IPv4
        Block(prefix: [0x3f, 0xff, 0x00], bits: 20),  // documentation
    ]

    /// The blocks whose last four bytes are an IPv4 address, to which a packet finally goes.
    private static let ofIPv4 = [
        // Mapped (RFC 4291 section 2.5.5.2): the socket connects over IPv4.
        Block(prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], bits: 96),
        // NAT64 (RFC 6052 section 2.1), as DNS64 gives it in a network without IPv4. The local-use prefix
        // 64:ff9b:1::/48 is for a network's own and lies outside what is given out.
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
