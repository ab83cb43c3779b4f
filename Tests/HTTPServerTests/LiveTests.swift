import Campaigns
import Delivery
import Foundation
import PrivateServers
import Servers
import Store
import Testing

@testable import HTTPServer
@testable import Settings
@testable import WebServing

/// Streams of events.
@Suite struct LiveTests {
    /// Returns the events of a whole stream by curl, until the server ends it.
    private func events(
        _ server: PrivateServer,
        _ path: String,
        after: Int64? = nil,
        meanwhile: () async throws -> Void
    ) async throws -> [(name: String, id: Int64?, data: JSONValue?)] {
        let reading = try server.reading(path, headers: after.map { ["Last-Event-ID: \($0)"] } ?? [])
        // A reader that starts now receives no earlier events.
        try await reading.wait(for: LiveEvent.heartbeat)
        try await meanwhile()
        return try await reading.text().components(separatedBy: "\n\n").filter { $0.contains("event: ") }.map { text in
            func field(_ name: String) -> String? {
                text.split(separator: "\n").first { $0.hasPrefix(name + ": ") }.map {
                    String($0.dropFirst(name.count + 2))
                }
            }
            let data = field("data").flatMap { JSONReader.read(Array($0.utf8)).value }
            return (field("event") ?? "", field("id").flatMap { Int64($0) }, data)
        }
    }

    @Test func `a campaign's stream tells its status and what happens, and ends with it`() async throws {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let path = "/v1/campaigns/news/derby/events"
            let told = try await events(server, path, after: 0) {
                for order in ["pause", "cancel"] {
                    let reply = try await server.ask("POST", "/v1/campaigns/news/derby:\(order)")
                    #expect(reply.status == 200)
                }
            }
            let names = told.map(\.name)
            // Nothing of it was published, so it was over at once.
            let kinds = ["accepted", "paused", "cancelled", "completed"].map { "campaign.\($0)" }
            #expect(names.filter { $0 != "status" } == kinds)
            #expect(told.last { $0.name == "status" }?.data?["state"]?.string == "cancelled")
            let ids = told.compactMap(\.id)
            #expect(ids == ids.sorted() && ids.count == 4)
            // A reader that was cut off resumes at its position.
            let rest = try await events(server, path, after: ids[1]) {}
            #expect(rest.compactMap(\.id) == Array(ids[2...]))
            #expect(try await server.ask("GET", path, headers: ["Last-Event-ID: x"]).problem == "usage")
            #expect(try await server.ask("GET", "/v1/campaigns/news/cup/events").problem == "not-found")
        }
    }

    @Test func `the stream of a cancelled campaign ends when its end is told, not when its last device has ended`()
        async throws
    {
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let run = try await server.running("derby")
            let told = try await events(server, "/v1/campaigns/news/derby/events", after: 0) {
                let reply = try await server.ask("POST", "/v1/campaigns/news/derby:cancel")
                #expect(reply.status == 200)
                let reading = try server.reading("/v1/campaigns/news/derby/events", headers: [])
                try await server.settle(run)
                // A poll has seen that nobody is left; the worker has not completed it yet.
                try await reading.wait(for: #""pending":0"#)
                let number = run.key.campaign
                let stage = try await server.ledger.write(.synced) { [ledger = server.ledger] in
                    try $0.completeIfDone(campaign: number, now: ledger.now())
                }
                #expect(stage == .cancelled)
                #expect(try await reading.text().contains("event: campaign.completed"))
            }
            #expect(told.compactMap(\.id).count == 4 && told.last { $0.id != nil }?.name == "campaign.completed")
        }
    }

    @Test func `the fleet's stream tells of the apps that a token is for, and ends with the server`() async throws {
        let reading = try await withServerEnded()
        #expect(reading.contains("event: status") && reading.contains(#""app":"news""#))
        #expect(!reading.contains(#""app":"shop""#))
    }

    @Test func `a stream ends with its token, and one token leaves room for others`() async throws {
        let tokens = [TestTokens.token("ana", "viewer"), TestTokens.token("ben", "viewer")]
        try await PrivateServer.with(tokens: tokens) { server in
            try await server.accept("derby")
            let (ana, ben) = (
                ["Authorization: Bearer \(TestTokens.text("ana"))"], ["Authorization: Bearer \(TestTokens.text("ben"))"]
            )
            let streams = try (0..<LiveFeed.ofTokenMax).map { _ in try server.reading("/v1/events", headers: ana) }
            for stream in streams { try await stream.wait(for: "event: status") }
            let more = try await server.ask("GET", "/v1/events", token: TestTokens.text("ana"))
            #expect(more.status == 429 && more.fields["retry-after"] != nil)
            let other = try server.reading("/v1/events", headers: ben)
            try await other.wait(for: "event: status")
            // Without a signal: the server notices the file.
            try TokensFile.remove(named: "ana", path: server.folder + "/tokens.yaml")
            try await eventually("her streams have ended, and his has not") {
                await server.server.role(ServedAPI.self)?.core.feed.subscriberCount == 1
            }
            for stream in streams { _ = try await stream.text() }
            #expect(try await server.ask("GET", "/version", token: TestTokens.text("ana")).status == 401)
        }
    }

    @Test func `who begins at the first event is told all of them, and nobody waits for it`() async throws {
        try await PrivateServer.with { server in
            // Several times as many events as a poll reads for a reader that is behind.
            try await server.accept((0..<1100).map { PrivateServer.campaign("old-\($0)") })
            try await server.accept("derby")
            let behind = try server.reading("/v1/events", headers: ["Last-Event-ID: 0"])
            try await behind.wait(for: "old-0\"")
            let told = try await events(server, "/v1/campaigns/news/derby/events") {
                let reply = try await server.ask("POST", "/v1/campaigns/news/derby:cancel")
                #expect(reply.status == 200)
            }
            #expect(told.contains { $0.name == "campaign.cancelled" })
            #expect(try behind.count(of: "event: campaign.accepted") < 1100)
            try await eventually("all of them are told") {
                try behind.count(of: "event: campaign.accepted") == 1101
            }
        }
    }

    /// Returns everything that a reader received until the server ended the stream.
    private func withServerEnded() async throws -> String {
        var reading: PrivateServer.Reading?
        try await PrivateServer.with(tokens: [TestTokens.token("ana", "viewer", apps: ["news"])]) { server in
            try await server.accept("derby")
            try await server.accept("sale", app: "shop")
            let ana = ["Authorization: Bearer \(TestTokens.text("ana"))"]
            reading = try server.reading("/v1/events", headers: ana)
            try await reading?.wait(for: "event: status")
        }
        return try #require(try await reading?.text())
    }
}

extension PrivateServer {
    /// A curl that writes a stream to a file.
    struct Reading {
        fileprivate let process: Process
        fileprivate let file: String

        /// Returns the whole text once the server has ended it.
        func text() async throws -> String {
            let curl = process
            try await aside { curl.waitUntilExit() }
            return try String(contentsOfFile: file, encoding: .utf8)
        }

        /// Returns the number of occurrences of a text.
        func count(of text: String) throws -> Int {
            try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: text).count - 1
        }

        /// Waits until a text has come.
        func wait(for text: String) async throws {
            try await eventually("\(text) in the stream") {
                try String(contentsOfFile: file, encoding: .utf8).contains(text)
            }
        }
    }

    /// Starts the campaign's only shard as a worker does.
    fileprivate func running(_ id: String) async throws -> RunToken {
        let now = ledger.now()
        let found = try await ledger.write(.synced) { transaction throws(LedgerError) -> ShardRecord? in
            let leases = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: now)
            guard let lease = leases.first(where: { $0.facts.id == id }) else { return nil }
            let campaign = lease.facts.number
            _ = try transaction.plan(
                lease.token,
                shardsMax: 1,
                now: now
            )
            let key = ShardKey(campaign: campaign, part: 0, ordinal: 0, child: 0)
            let claim = Claim(key: key, generation: 1, redelivered: false, worker: 1, knowsApp: true)
            return try transaction.claim(claim, now: now).record
        }
        let record = try #require(found)
        return RunToken(key: record.id.key, epoch: record.epoch, worker: 1)
    }

    /// Gives every device of a run its answer.
    fileprivate func settle(_ run: RunToken) async throws {
        var progress = Campaigns.Progress(count: 3)
        for position in 0..<3 { progress.accept(position) }
        let settlement = try #require(Settlement.make(progress: progress, attempt: 1))
        let now = ledger.now()
        let result = try await ledger.write(.synced) { try $0.settle(run, settlement, now: now) }
        guard case .settled = result else { throw LedgerError.failed("not settled: \(result)") }
    }

    func reading(_ path: String, headers: [String]) throws -> Reading {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("stream-\(UUID())").path
        try Data().write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        let fields = headers.flatMap { ["-H", $0] }
        process.arguments = ["-sSN", "--max-time", "900", "http://127.0.0.1:\(port)\(path)"] + fields
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try process.run()
        return Reading(process: process, file: file)
    }
}
