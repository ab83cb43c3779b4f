import Delivery
import Seeds
import Testing

/// The client's address, through trusted proxies and others.
@Suite struct ForwardedClientTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    private func client(_ peer: String, forwarded: [String] = [], x: [String] = []) throws -> String {
        let (trusted, refused) = TrustedProxies.read(["10.0.0.0/8", "2001:db8::/32", "192.0.2.1"])
        try #require(refused.isEmpty)
        let found = ForwardedClient.address(
            peer: try address(peer),
            forwarded: forwarded,
            xForwardedFor: x,
            trusted: trusted
        )
        return found.description
    }

    @Test func `only a trusted proxy is believed, and only as far as the next stranger`() throws {
        #expect(try client("198.51.100.1", x: ["203.0.113.9"]) == "198.51.100.1")
        #expect(try client("10.0.0.1", x: ["203.0.113.9"]) == "203.0.113.9")
        #expect(try client("10.0.0.1", x: ["203.0.113.9, 198.51.100.2, 10.0.0.7"]) == "198.51.100.2")
        #expect(try client("10.0.0.1", x: ["203.0.113.9", "198.51.100.2", "10.0.0.7"]) == "198.51.100.2")
        #expect(try client("192.0.2.1") == "192.0.2.1")
        #expect(try client("10.0.0.1", x: ["unknown"]) == "10.0.0.1")
        #expect(try client("10.0.0.1", x: ["203.0.113.9, unknown, 10.0.0.7"]) == "10.0.0.7")
        #expect(try client("10.0.0.1", x: ["10.0.0.3, 10.0.0.2"]) == "10.0.0.3")
    }

    @Test func `the standard's field is read as RFC 7239 has it, and goes first`() throws {
        let cases: [(String, String)] = [
            ("for=203.0.113.9", "203.0.113.9"), ("For=\"203.0.113.9:4711\"", "203.0.113.9"),
            ("proto=https; for=203.0.113.9 ;by=10.0.0.1", "203.0.113.9"),
            ("for=203.0.113.9, for=198.51.100.2", "198.51.100.2"),
            ("for=\"[2a00::17]:4711\"", "2a00:0:0:0:0:0:0:17"),
            ("for=\"a, for=203.0.113.1\", for=198.51.100.2", "198.51.100.2"),
            ("for=_hidden", "10.0.0.1"), ("for=\"[2a00::17", "10.0.0.1"), ("", "10.0.0.1"), (";;,,", "10.0.0.1"),
        ]
        for (field, expected) in cases {
            #expect(try client("10.0.0.1", forwarded: [field], x: ["203.0.113.77"]) == expected, "\(field)")
        }
    }

    @Test func `addresses are read as people write them, and nothing else is`() throws {
        let good = [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::", "0:0:0:0:0:0:0:0"),
            ("::1", "0:0:0:0:0:0:0:1"), ("2001:DB8::a:0:1", "2001:db8:0:0:0:a:0:1"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1::", "1:0:0:0:0:0:0:0"),
        ]
        for (text, shown) in good { #expect(ClientAddress(text)?.description == shown, "\(text)") }
        let bad = [
            "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.+4", ":", ":::", "1:2:3:4:5:6:7", "1::2::3",
            "g::",
            "1:2:3:4:5:6:7:8:9", "::1%eth0", "12345::", "1.2.3.4:80", "[::1]", "1:2:3:4:5:6:7::8",
        ]
        for text in bad { #expect(ClientAddress(text) == nil, "\(text)") }
        #expect(try address("2001:db8::1").network == address("2001:db8::ffff:2").network)
        #expect(try address("2001:db8:0:1::1").network != address("2001:db8::1").network)
        #expect(try address("192.0.2.1").network != address("192.0.2.2").network)
    }

    @Test func `networks are read strictly, and contain what they say`() throws {
        let (proxies, refused) = TrustedProxies.read([
            "10.0.0.0/33", "10.0.0.0/", "a/8", "2001:db8::/129", "1.2.3.4/+8",
        ])
        #expect(refused.count == 5 && proxies.isEmpty)
        let (some, none) = TrustedProxies.read(["172.16.0.0/12", "fd00::/8", "0.0.0.0/0"])
        #expect(none.isEmpty)
        #expect(try some.contains(address("172.31.255.255")) && some.contains(address("fdff::1")))
        #expect(try some.contains(address("8.8.8.8")) && !some.contains(address("fe80::1")))
        let (half, _) = TrustedProxies.read(["172.16.0.0/12", "2001:db8:0:8000::/49"])
        #expect(try !half.contains(address("172.32.0.0")) && half.contains(address("::ffff:172.16.1.1")))
        #expect(try half.contains(address("2001:db8:0:ffff::1")) && !half.contains(address("2001:db8:0:7fff::1")))
    }

    @Test func `no field of a stranger traps`() throws {
        let characters = Array("for=\"[]:;,. 0129afFx\\\t\u{0}é%")
        for seed in 0..<5000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let text = String((0..<random.below(60)).map { _ in characters[random.below(characters.count)] })
            _ = try client("10.0.0.1", forwarded: [text], x: [text])
            _ = try client("10.0.0.1", x: [text, text])
            _ = TrustedProxies.read([text])
        }
    }
}

/// The header of the PROXY protocol.
@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let four = signature + [0x21, 0x11, 0, 12, 192, 0, 2, 7, 127, 0, 0, 1, 1, 1, 2, 2]

    @Test func `both families are read, with extensions behind them`() {
        let client = ClientAddress("192.0.2.7")
        #expect(ProxyHeader(Self.four) == .header(bytes: 28, client: client))
        #expect(ProxyHeader(Self.four + [1, 2, 3]) == .header(bytes: 28, client: client))
        var extended = Self.four
        extended[15] = 15
        #expect(ProxyHeader(extended + [4, 0, 0]) == .header(bytes: 31, client: client))
        let six = Self.signature + [0x21, 0x21, 0, 36] + [0x20, 1] + Array(repeating: 0, count: 34)
        #expect(ProxyHeader(six) == .header(bytes: 52, client: ClientAddress("2001::")))
        let local = Self.signature + [0x20, 0, 0, 0]
        #expect(ProxyHeader(local) == .header(bytes: 16, client: nil))
        let unix = Self.signature + [0x21, 0x31, 0, 1, 9]
        #expect(ProxyHeader(unix) == .header(bytes: 17, client: nil))
    }

    @Test func `it is waited for to its last byte, and nothing else is taken for it`() {
        for count in 1..<Self.four.count { #expect(ProxyHeader(Self.four.prefix(count)) == .partial, "\(count)") }
        #expect(ProxyHeader(Array("GET / HTTP/1.1\r\n".utf8)) == .absent)
        #expect(ProxyHeader([22, 3, 1]) == .absent && ProxyHeader([UInt8]()) == .partial)
        for (index, value) in [(12, 0x11), (12, 0x22), (15, 4)] as [(Int, UInt8)] {
            var bad = Self.four
            bad[index] = value
            #expect(ProxyHeader(bad) == .malformed, "\(index)")
        }
        var huge = Self.four
        huge[14] = 0xFF
        #expect(ProxyHeader(huge) == .malformed)
    }
}
