import Campaigns
import HTTPTypes
import PrivateServers
import Store
import Testing

@testable import HTTPServer
@testable import WebServing

/// The outcome of each device of a campaign, and the campaigns of a device.
@Suite struct OutcomeTests {
    @Test func `every device of a campaign comes with its outcome, an object or a record a line`() async throws {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let path = "/v1/campaigns/news/derby/outcomes"
            let lines = try await server.ask("GET", path)
            #expect(lines.status == 200 && lines.fields["content-type"] == "application/x-ndjson", "\(lines.text)")
            let devices = lines.text.split(separator: "\n").compactMap { JSONReader.read(Array($0.utf8)).value }
            #expect(devices.compactMap { $0["id"]?.string } == ["d1", "d2", "d3"], "\(lines.text)")
            #expect(devices.allSatisfy { $0["outcome"] == "pending" && $0["token"]?.string?.count == 64 })
            let csv = try await server.ask("GET", path + "?format=csv&outcome=pending")
            #expect(csv.fields["content-type"] == "text/csv")
            #expect(csv.text.hasPrefix("token,provider,id,outcome,requests,reason\n"), "\(csv.text)")
            #expect(csv.text.split(separator: "\n").count == 4)
            #expect(try await server.ask("GET", path + "?outcome=accepted").text.isEmpty)
            #expect(try await server.ask("GET", path + "?reason=Unregistered").text.isEmpty)
            #expect(try await server.ask("HEAD", path).text.isEmpty)
            for bad in ["?outcome=lost", "?format=xml", "?limit=1"] {
                #expect(try await server.ask("GET", path + bad).problem == "usage", "\(bad)")
            }
            #expect(try await server.ask("GET", "/v1/campaigns/news/cup/outcomes").status == 404)
        }
    }

    @Test func `a long export comes whole, page after page`() async throws {
        try await PrivateServer.with { server in
            var many = PrivateServer.campaign("all")
            var (builder, chunks): (ListBuilder, [ListChunk]) = (ListBuilder(), [])
            for number in 0..<12_000 {
                let token = Array(repeating: UInt8(0xAB), count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
                let full = builder.add(Device(token: ""), token: token)
                if let full { chunks.append(full) }
            }
            many.audience = .inline(chunks + builder.finish(), version: "many", duplicates: 0)
            try await server.accept([many])
            let lines = try await server.ask("GET", "/v1/campaigns/news/all/outcomes").text.split(separator: "\n")
            #expect(lines.count == 12_000 && Set(lines).count == 12_000)
        }
    }

    @Test func `few long reads run at once, and the next is told to come again`() throws {
        let reads = LongReads()
        var permits = try (0..<LongReads.ofCaller).map { _ in try reads.begin(for: "ana") }
        let greedy = #expect(throws: HTTPProblem.self) { try reads.begin(for: "ana") }
        #expect(greedy?.status == .tooManyRequests && greedy?.headers[.retryAfter] != nil)
        for number in permits.count..<LongReads.most { permits.append(try reads.begin(for: "caller \(number)")) }
        let late = #expect(throws: HTTPProblem.self) { try reads.begin(for: "ben") }
        #expect(late?.status == .serviceUnavailable && late?.headers[.retryAfter] != nil)
        permits.removeFirst()
        permits.append(try reads.begin(for: "ana"))
        #expect(throws: HTTPProblem.self) { try reads.begin(for: "ben") }
        withExtendedLifetime(permits) {}
    }

    @Test func `a device is traced through the campaigns, by what it is called`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ana", "viewer", apps: ["news"])]) { server in
            try await server.accept("derby")
            func trace(_ search: String, app: String = "news") async throws -> PrivateServer.Reply {
                let path = "/v1/apps/\(app)/devices:trace"
                return try await server.ask("POST", path, token: TestTokens.text("ana"), body: search)
            }
            let named = try await trace(#"{"device": "d2"}"#)
            let traces = try #require(named.json?["traces"]?.array, "\(named.text)")
            #expect(traces.map { $0["campaign"]?.string } == ["derby"] && traces.first?["outcome"] == "pending")
            let token = String(repeating: "ab", count: 31) + "02"
            #expect(try await trace(#"{"token": "\#(token)"}"#).json?["traces"]?.array == traces)
            #expect(try await trace(#"{"device": "nobody"}"#).status == 404)
            #expect(try await trace(#"{"user": "ana"}"#).status == 404)
            for bad in ["{}", #"{"device": "d2", "user": "ana"}"#, #"{"device": "d2", "since": "today"}"#] {
                #expect(try await trace(bad).problem == "usage", "\(bad)")
            }
            #expect(try await trace(#"{"device": "d2"}"#, app: "shop").status == 404)
        }
    }
}
