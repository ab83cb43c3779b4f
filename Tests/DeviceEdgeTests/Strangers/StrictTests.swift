import Foundation
import Servers
import Testing

@testable import DeviceEdge

/// Requests that two programs may read in different ways, sent to the built server.
@Suite struct StrictTests {
    private static let key = EdgeFixture.key("news")

    @Test func `on HTTP 1 a request with two meanings is refused`() async throws {
        try await BuiltServer.with { server in
            let ok = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            #expect(try await server.say(ok).first == 200)
            #expect(try await server.say("GET /livez HTTP/1.0\r\nConnection: close\r\n\r\n").first == 200)
            let bad = [
                "GET /livez HTTP/1.1\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
                "POST /v1/tracking HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "POST /v1/tracking HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\n\r\n",
                "POST /v1/tracking HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n"
                    + "0\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET /v1/devices/.. HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "DELETE /v1/devices/%2e%2E HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            ]
            for port in [server.edgePort, server.port] {
                for text in bad {
                    let status = try await server.say(text, port: port).first
                    #expect(status == 400, "\(text) at \(port == server.port ? "the API" : "the edge")")
                }
            }
        }
    }

    @Test func `a bad request behind a good one is refused behind its answer`() async throws {
        try await BuiltServer.with { server in
            let good = "GET /v1/messages/none HTTP/1.1\r\nHost: a\r\n\r\n"
            let statuses = try await server.say(good + good + "GET / HTTP/1.1\r\n\r\n", wanted: 3)
            #expect(statuses == [401, 401, 400])
        }
    }

    @Test func `a key in the trailers is no key`() async throws {
        try await BuiltServer.with { server in
            let one =
                "PUT /v1/devices/ana HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\nTrailer: Authorization\r\nConnection: close\r\n\r\n"
                + "2\r\n{}\r\n0\r\nAuthorization: Bearer \(Self.key)\r\n\r\n"
            #expect(try await server.say(one).first == 401)
            // The first request proves the key; the second has it after its body.
            for (isTrailer, expected) in [(false, "422"), (true, "401")] {
                let connection = try await RawConnection(to: server.edgePort)
                let fields =
                    HostileFrames.request("PUT", "/v1/devices/ana", isTrailer ? nil : Self.key)
                    + [("content-type", "application/json")]
                var bytes = HostileFrames.hello() + HostileFrames.headers(1, fields, ends: false)
                bytes += HostileFrames.data(1, Array("{}".utf8), ends: !isTrailer)
                if isTrailer {
                    bytes += HostileFrames.headers(1, [("authorization", "Bearer " + Self.key)], ends: true)
                }
                try await connection.send(bytes)
                #expect(await Self.status(connection) == expected)
                await connection.close()
            }
        }
    }

    @Test func `on HTTP 2 two hosts are none`() async throws {
        try await BuiltServer.with { server in
            for (hosts, isGood) in [([], true), (["edge"], true), (["other"], false), (["edge", "edge"], false)] {
                let connection = try await RawConnection(to: server.edgePort)
                let fields = HostileFrames.request("GET", "/livez", nil) + hosts.map { ("host", $0) }
                try await connection.send(HostileFrames.hello() + HostileFrames.headers(1, fields, ends: true))
                #expect(await Self.status(connection) == (isGood ? "200" : nil), "\(hosts)")
                await connection.close()
            }
        }
    }

    /// Returns the status of the first stream's answer; nil when it was reset.
    private static func status(_ connection: RawConnection) async -> String? {
        for await frame in connection.frames where frame.stream == 1 {
            guard frame.type == RawFrames.headers, let first = frame.payload.first else { return nil }
            // 200 and 404 are in the static table; others are `:status` with a literal, Huffman-coded or not.
            switch first {
            case 0x88: return "200"
            case 0x8D: return "404"
            case 0x8C: return "400"
            default:
                let value = frame.payload.dropFirst(2)
                guard let length = frame.payload.dropFirst().first else { return nil }
                return length & 0x80 == 0
                    ? String(decoding: value.prefix(Int(length)), as: UTF8.self)
                    : Huffman.digits(value.prefix(Int(length & 0x7F)))
            }
        }
        return nil
    }
}

/// The digits in HPACK's code (RFC 7541, appendix B): 0, 1 and 2 have five bits, the others six.
private enum Huffman {
    static func digits(_ bytes: some Sequence<UInt8>) -> String {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        var (text, offset) = ("", 0)
        while offset + 5 <= bits.count, text.count < 3 {
            let five = bits[offset..<offset + 5].reduce(0) { $0 << 1 | Int($1) }
            if five < 3 {
                text += String(five)
                offset += 5
            } else if offset + 6 <= bits.count {
                let six = bits[offset..<offset + 6].reduce(0) { $0 << 1 | Int($1) }
                guard (0x19...0x1F).contains(six) else { break }
                text += String(six - 0x19 + 3)
                offset += 6
            } else {
                break
            }
        }
        return text
    }
}
