import Delivery
import Testing

@Suite struct AddressScopeTests {
    @Test(
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170",
            "192.0.2.7",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
        ]
    )
    func `special addresses of IPv4 are not reached, neither as they are nor mapped nor through NAT64`(
        text: String
    ) throws {
        let address = try Self.ipv4(text)
        #expect(!AddressScope.global.allows(address))
        #expect(!AddressScope.global.allows(try Self.ipv6("::ffff:0:0").dropLast(4) + address))
        #expect(!AddressScope.global.allows(try Self.ipv6("64:ff9b::").dropLast(4) + address))
        #expect(AddressScope.any.allows(address))
    }

    @Test(
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
            "142.250.74.138", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
            "192.0.3.0",
            "192.31.196.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
            "203.0.112.255", "203.0.114.0", "223.255.255.255",
        ]
    )
    func `the neighbours of special addresses are reached, in every form`(text: String) throws {
        let address = try Self.ipv4(text)
        #expect(AddressScope.global.allows(address))
        #expect(AddressScope.global.allows(try Self.ipv6("::ffff:0:0").dropLast(4) + address))
        #expect(AddressScope.global.allows(try Self.ipv6("64:ff9b::").dropLast(4) + address))
    }

    @Test(
        arguments: [
            "::", "::1", "::1.1.1.1", "::fffe:1.1.1.1", "64:ff9b:0:0:0:1:101:101", "64:ff9b:1::101:101", "100::1",
            "100:0:0:1::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::", "2001:db8::1",
            "2002:101:101::1", "2002:7f00:1::1", "3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1", "fc00::1",
            "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "1fff::1",
        ]
    )
    func `special addresses of IPv6 are not reached`(text: String) throws {
        #expect(!AddressScope.global.allows(try Self.ipv6(text)))
        #expect(AddressScope.any.allows(try Self.ipv6(text)))
    }

    @Test(
        arguments: [
            "2001:200::1", "2001:4860:4860::8888", "2001:db7::1", "2001:db9::1", "2003::1", "2600::1",
            "2620:4f:8000::1",
            "2a00:1450:4003::200a", "3ffe::1", "3fff:1000::1",
        ]
    )
    func `the rest of IPv6 is reached`(text: String) throws {
        #expect(AddressScope.global.allows(try Self.ipv6(text)))
    }

    @Test func `what is no address is reached by nobody`() {
        for count in [0, 3, 5, 15, 17] {
            for scope in AddressScope.allCases { #expect(!scope.allows([UInt8](repeating: 8, count: count))) }
        }
    }

    private static func ipv4(_ text: String) throws -> [UInt8] {
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        try #require(parts.count == 4)
        return parts
    }

    private static func ipv6(_ text: String) throws -> [UInt8] {
        let halves = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var groups: [[UInt8]] = []
        var gap: Int?
        for (index, half) in halves.enumerated() {
            if half.isEmpty {
                if index > 0, gap == nil { gap = groups.count }
            } else if half.contains(".") {
                let bytes = try ipv4(half)
                groups += [Array(bytes[..<2]), Array(bytes[2...])]
            } else {
                let value = try #require(UInt16(half, radix: 16))
                groups.append([UInt8(value >> 8), UInt8(value & 0xff)])
            }
        }
        let zeros = [[UInt8]](repeating: [0, 0], count: 8 - groups.count)
        groups.insert(contentsOf: zeros, at: gap ?? 0)
        try #require(groups.count == 8)
        return groups.flatMap(\.self)
    }
}
