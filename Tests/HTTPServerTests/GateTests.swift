import Campaigns
import HTTPTypes
import PrivateServers
import Testing

@testable import HTTPServer
@testable import WebServing

/// Authorization, decided without a server.
@Suite struct GateTests {
    private let book = AccessTokens([
        TestTokens.token("ana", "viewer", apps: ["news"]), TestTokens.token("ben", "admin"),
    ])

    private let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func claim(_ authorization: String?, host: String? = "api.example.com", origin: String? = nil) -> Gate.Claim
    {
        Gate.Claim(authorization: authorization, host: host, origin: origin)
    }

    @Test func `a token is known by its hash, in whatever case the scheme is written`() throws {
        let gate = Gate(tokens: book)
        #expect(try gate.caller(claim("Bearer ana-*-token"), now: now).name == "ana")
        #expect(try gate.caller(claim("bearer  ben-*-token"), now: now) == Caller(name: "ben", role: .admin, apps: nil))
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ana", "Basic ana-*-token", "Bearer ana-*-token x", "Bearer cleo-*-token",
    ])
    func `everything else is nobody's`(field: String?) {
        let gate = Gate(tokens: book)
        let problem = #expect(throws: HTTPProblem.self) { try gate.caller(claim(field), now: now) }
        #expect(problem?.document.kind == .unauthorized)
        #expect(problem?.headers[.wwwAuthenticate] == #"Bearer realm="fanfare""#)
    }

    @Test func `without tokens this host may do everything`() throws {
        let gate = Gate(tokens: nil)
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.9.9.9", "localhost"] {
            #expect(try gate.caller(claim(nil, host: host), now: now) == .local)
        }
    }

    @Test(
        arguments: [
            ("evil.example", nil), (nil, nil), ("localhost.evil.example", nil), ("127.0.0.1.evil.example", nil),
            ("127.0.0.1:8080", "http://evil.example"), ("127.0.0.1:8080", "null"),
            ("127.0.0.1:8080", "http://127.0.0.1:9"),
        ] as [(String?, String?)]
    )
    func `without tokens no page of somewhere else gives orders`(host: String?, origin: String?) {
        let gate = Gate(tokens: nil)
        let problem = #expect(throws: HTTPProblem.self) {
            try gate.caller(claim(nil, host: host, origin: origin), now: now)
        }
        #expect(problem?.document.kind == .forbidden)
    }

    @Test func `a page of the server's own may ask`() throws {
        let own = claim(nil, host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080")
        #expect(try Gate(tokens: nil).caller(own, now: now) == .local)
    }

    @Test func `roles and apps are walls`() throws {
        let ana = Caller(name: "ana", role: .viewer, apps: ["news"])
        try ana.require(.viewer)
        try ana.require(app: "news")
        #expect(throws: HTTPProblem.self) { try ana.require(.operator) }
        #expect(throws: HTTPProblem.self) { try ana.require(app: "shop") }
        #expect(Role.viewer < .operator && .operator < .admin)
    }

    @Test func `hashes are compared whole`() {
        let hash = Array(repeating: UInt8(7), count: 32)
        var other = hash
        other[31] = 8
        #expect(AccessTokens.isSame(hash, hash) && !AccessTokens.isSame(hash, other) && !AccessTokens.isSame(hash, []))
    }
}
