import Delivery
import Testing

@Suite struct WebhookURLTests {
    @Test func `an address is read with its host, port and path`() throws {
        let url = try WebhookURL("https://Hooks.Example.com/in/news?key=1")
        #expect(url.host == "hooks.example.com" && url.port == 443 && url.isSecure && url.target == "/in/news?key=1")
        #expect(url.authority == "hooks.example.com" && url.description == "https://hooks.example.com")
        #expect(try WebhookURL("https://hooks.example.com:8443").target == "/")
        #expect(try WebhookURL("https://hooks.example.com:8443").authority == "hooks.example.com:8443")
        #expect(try WebhookURL("https://hooks.example.com?key=1").target == "/?key=1")
        #expect(try WebhookURL("http://127.0.0.1:9000/in").port == 9000)
        #expect(try WebhookURL("http://localhost/in").port == 80)
        let literal = try WebhookURL("https://[2001:DB8::1]:8443/in")
        #expect(literal.host == "2001:db8::1" && literal.authority == "[2001:db8::1]:8443")
        #expect(try WebhookURL("https://[2001:db8::1]/in").port == 443)
    }

    @Test(arguments: [
        "", "hooks.example.com", "ftp://hooks.example.com", "https://", "https:///in", "https://user@hooks.example.com",
        "https://u:p@hooks.example.com/in", "https://hooks.example.com/in#top", "https://hooks.example.com:0/",
        "https://hooks.example.com:port/", "https://hooks.example.com/a b", "https://hooks.example.com/a\r\nhost: b",
        "https://hooks.example.com/ü", "http://hooks.example.com/in", "http://127.0.0.1.example.com/in",
        "http://0.0.0.0/in", "http://10.0.0.1/in", "https://[::1/in", "https://hooks.example.com\\@evil.example/",
        "https://" + String(repeating: "a", count: 2100),
    ])
    func `what is no https address is refused, and http beyond this machine`(text: String) {
        #expect(throws: WebhookURL.Refusal.self) { try WebhookURL(text) }
    }

    @Test func `a list allows hosts, hosts under a domain, and this machine with its port`() throws {
        let (hosts, refused) = WebhookHosts.read([
            "hooks.Example.com", "*.example.org", "127.0.0.1:9000", "[::1]:9443", "203.0.113.7",
        ])
        #expect(refused.isEmpty)
        let allowed = [
            "https://hooks.example.com/in", "https://HOOKS.example.com:8443/", "https://a.b.example.org/",
            "http://127.0.0.1:9000/in", "https://127.0.0.1:9000/in", "https://[::1]:9443/", "https://203.0.113.7/in",
        ]
        for text in allowed { #expect(hosts.allow(try WebhookURL(text)), "\(text)") }
        let others = [
            "https://example.com/in", "https://x.hooks.example.com/", "https://example.org/", "https://badexample.org/",
            "http://127.0.0.1:9001/in", "http://localhost:9000/in", "https://127.0.0.2:9000/", "https://[::1]/",
            "https://hooks.example.com.evil.example/",
        ]
        for text in others { #expect(!hosts.allow(try WebhookURL(text)), "\(text)") }
        #expect(!WebhookHosts.none.allow(try WebhookURL("https://hooks.example.com/")))
    }

    @Test func `entries that are no hosts are named`() {
        let wrong = [
            "", "*", "*.com", "*.*.example.com", "https://hooks.example.com", "hooks.example.com/in", "localhost",
            "127.0.0.1", "hooks.example.com:443", "hooks_", "user@hooks.example.com", "a..b",
        ]
        #expect(WebhookHosts.read(wrong).refused == wrong)
    }

    @Test func `connections go to the public internet, and of this machine to itself alone`() throws {
        #expect(WebhookHosts.scope(of: try WebhookURL("https://hooks.example.com/")) == .global)
        #expect(WebhookHosts.scope(of: try WebhookURL("https://10.0.0.1/")) == .global)
        #expect(WebhookHosts.scope(of: try WebhookURL("http://localhost:9000/")) == .loopback)
        #expect(WebhookHosts.scope(of: try WebhookURL("https://[::1]:9443/")) == .loopback)
        #expect(AddressScope.loopback.allows([127, 0, 0, 5]) && !AddressScope.loopback.allows([10, 0, 0, 1]))
        #expect(AddressScope.loopback.allows([UInt8](repeating: 0, count: 15) + [1]))
        #expect(!AddressScope.loopback.allows([8, 8, 8, 8]) && !AddressScope.loopback.allows([]))
    }
}
