import Foundation
import Testing

@testable import DeviceEdge

/// Phones behind a load balancer, at the built server.
@Suite struct ProxyTests {
    private static let trusted = [
        "FANFARE_SERVER_TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8", "FANFARE_SERVER_EDGE_REGISTRATIONS_PER_SECOND": "1",
    ]

    /// Sends 20 concurrent requests without a key, each with the next of the fields; returns the statuses.
    private func ask(_ server: BuiltServer, _ fields: [String], after: [UInt8] = []) async throws -> [Int] {
        let requests = (0..<20).map { number in
            let field = fields.isEmpty ? "" : fields[number % fields.count] + "\r\n"
            return "GET /v1/messages/none HTTP/1.1\r\nHost: a\r\n\(field)\r\n"
        }
        return try await RawText.say(after + Array(requests.joined().utf8), to: server.edgePort, wanted: 20)
    }

    /// Returns true if some were limited: one address may make two requests at once, and one a second.
    private func isLimited(_ statuses: [Int]) -> Bool {
        statuses.count == 20 && statuses.allSatisfy { $0 == 401 || $0 == 429 } && statuses.count { $0 == 429 } > 5
    }

    @Test(arguments: [
        ["Forwarded: for=192.0.2.7;proto=https", "Forwarded: for=192.0.2.8"],
        ["X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 192.0.2.8"],
        // The client's own claim comes first and is not trusted.
        ["X-Forwarded-For: 192.0.2.8, 192.0.2.7, 10.1.1.1", "X-Forwarded-For: 192.0.2.8, 192.0.2.9"],
        ["Forwarded: for=\"[2001:db8::1]:4711\"", "Forwarded: for=\"[2001:db8:0:1::1]\""],
    ])
    func `each client of a trusted proxy has a limit of its own`(fields: [String]) async throws {
        try await BuiltServer.with(settings: Self.trusted) { server in
            let first = try await ask(server, [fields[0]])
            #expect(isLimited(first), "\(first)")
            let other = BuiltServer.request("GET", "/v1/messages/none", [fields[1]])
            #expect(try await server.say(other).first == 401)
        }
    }

    @Test func `a client has one limit for its whole network, and cannot name itself`() async throws {
        try await BuiltServer.with(settings: Self.trusted) { server in
            let near = try await ask(server, (1...20).map { "X-Forwarded-For: 2001:db8::\($0):1" })
            #expect(isLimited(near), "\(near)")
            let far = try await ask(server, (1...20).map { "X-Forwarded-For: 2001:db8:0:\($0)::1" })
            #expect(far == Array(repeating: 401, count: 20))
        }
        let nobody = ["FANFARE_SERVER_EDGE_REGISTRATIONS_PER_SECOND": "1"]
        try await BuiltServer.with(settings: nobody) { server in
            let named = try await ask(server, (1...20).map { "X-Forwarded-For: 192.0.2.\($0)" })
            #expect(isLimited(named), "\(named)")
        }
    }

    /// Returns the header of the PROXY protocol, version 2, for an IPv4 client.
    private static func header(_ last: UInt8) -> [UInt8] {
        [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x21, 0x11, 0, 12, 192, 0, 2, last, 127, 0, 0, 1, 1, 1, 2, 2]
    }

    @Test func `the PROXY protocol names the client, of a trusted proxy only`() async throws {
        let request = Array(BuiltServer.request("GET", "/v1/messages/none").utf8)
        try await BuiltServer.with(settings: Self.trusted) { server in
            let first = try await ask(server, [], after: Self.header(7))
            #expect(isLimited(first), "\(first)")
            #expect(try await RawText.say(Self.header(8) + request, to: server.edgePort).first == 401)
            #expect(try await RawText.say(request, to: server.edgePort).first == 401)
            var broken = Self.header(9)
            broken[12] = 0x11
            #expect(try await RawText.say(broken + request, to: server.edgePort).first == nil)
        }
        try await BuiltServer.with { server in
            let status = try await RawText.say(Self.header(7) + request, to: server.edgePort).first
            #expect(status == 400)
        }
    }

    @Test func `an edge of its own needs no key of a provider, and orders nothing`() async throws {
        let withoutKey = { (folder: String) in try FileManager.default.removeItem(atPath: folder + "/key.p8") }
        try await BuiltServer.with(settings: ["FANFARE_SERVER_ROLES": "edge"], prepare: withoutKey) { server in
            #expect(try await server.register("ana", token: 1) == 201)
            for path in ["/v1/campaigns", "/v1/apps/news/devices/ana", "/openapi.json", "/"] {
                let look = BuiltServer.request("GET", path, host: "127.0.0.1")
                let status = try await server.say(look, port: server.port).first
                #expect(status == 404, "\(path)")
            }
            #expect(try await server.say(BuiltServer.request("GET", "/livez"), port: server.port).first == 200)
            #expect(try await server.metric("fanfare_http_held_bytes_max") > 0)
        }
        try await BuiltServer.with(settings: ["FANFARE_SERVER_ROLES": "api"], isEdgeThere: false) { server in
            let look = BuiltServer.request("GET", "/v1/campaigns", host: "127.0.0.1")
            let looked = try await server.say(look, port: server.port).first
            #expect(looked == 200)
            let put = BuiltServer.request("PUT", "/v1/devices/a", host: "127.0.0.1")
            #expect(try await server.say(put, port: server.port).first == 404)
        }
    }
}
