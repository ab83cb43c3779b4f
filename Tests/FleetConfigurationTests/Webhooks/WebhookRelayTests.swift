import Campaigns
import Delivery
import Foundation
import Logging
import NIOCore
import NIOPosix
import Servers
import Store
import TLS
import Testing
import Transport

@testable import Fleet
@testable import Settings

/// A worker's posts to another party's real server, from a separate ledger.
@Suite(.serialized) struct WebhookRelayTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let folder: ScratchFolder
    private let ledger: Ledger

    init() throws {
        folder = try ScratchFolder()
        try folder.write("key.p8", try ES256.generateKey().privateKeyPEM)
        try folder.write("hook.secret", Self.secret)
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
    }

    private func apps(_ url: String, authority: String? = nil, hosts: [String]) throws -> AppDirectory {
        let extra = authority.map { ", ca_file: \($0)" } ?? ""
        let yaml = """
            apps:
              news:
                apns: {topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: key.p8}
                webhooks: [{url: "\(url)", secret_file: hook.secret\(extra)}]

            """
        let path = try folder.write("apps.yaml", yaml)
        return try AppDirectory(try AppsFile.read(path: path, webhookHosts: WebhookHosts.read(hosts).hosts))
    }

    /// Runs a dispatcher until `body` ends; it posts as the second worker.
    private func posting(
        _ apps: AppDirectory,
        worker: Int64 = 2,
        timeout: Duration = .seconds(5),
        _ body: (WebhookCounters) async throws -> Void
    ) async throws {
        let counters = WebhookCounters()
        var relay = WebhookRelay(
            worker: worker,
            ledger: ledger,
            apps: apps,
            loop: MultiThreadedEventLoopGroup.singleton.next(),
            counters: counters,
            logger: Logger(label: "webhooks", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        relay.settings.timeout = timeout
        relay.settings.pause = .milliseconds(20)
        let running = relay
        let entries = apps.webhookEntries
        try await ledger.write(.synced) { try $0.setWebhooks(entries, now: WallClock.now().asRead) }
        let task = Task { await running.run() }
        do {
            try await body(counters)
        } catch {
            task.cancel()
            await task.value
            throw error
        }
        task.cancel()
        await task.value
    }

    private func happen(_ count: Int) async throws {
        try await ledger.write(scope: .shards) { transaction in
            for _ in 0..<count {
                try transaction.addEvent(correlationID: "job") {
                    CampaignEvent(
                        .paused,
                        app: "news",
                        campaign: "derby",
                        sequence: $0,
                        time: WallClock.now().asRead,
                        data: .object(["app": "news"])
                    )
                }
            }
        }
    }

    private func record() async throws -> WebhookRecord {
        try #require(try await ledger.read { try $0.webhooks() }.first)
    }

    /// Makes the next try due.
    private func hurry() async throws {
        let number = try await record().number
        _ = try await ledger.write(.synced) { try $0.resumeWebhook(number, now: WallClock.now().asRead) }
    }

    @Test func `events are posted in their order over one connection, signed, each once`() async throws {
        let receiver = try await WebhookReceiver(secret: Self.secret)
        let destination = "127.0.0.1:\(receiver.port)"
        try await posting(try apps("http://\(destination)/in?k=1", hosts: [destination])) { counters in
            try await happen(50)
            let requests = try await receiver.requests(50)
            let published = try await ledger.read { try $0.events(limit: 100) }
            #expect(requests.map { Array($0.body.utf8) } == published.map(\.body))
            #expect(requests.allSatisfy { $0.isSigned && $0.path == "/in?k=1" })
            #expect(requests.allSatisfy { $0.contentType == "application/cloudevents+json" })
            #expect(Set(requests.map(\.id)).count == 50)
            try await eventually("nothing waits") { try await record().waiting == 0 }
            #expect(counters.tries["news"] == [.delivered: 50])
            // A poll may find some of them before the others are committed.
            #expect(Set(receiver.requests.map(\.connection)).count <= 3)
        }
        receiver.stop()
    }

    @Test func `what is not taken is tried again with the same id before anything else, not before Retry-After`()
        async throws
    {
        let receiver = try await WebhookReceiver(secret: Self.secret)
        let destination = "127.0.0.1:\(receiver.port)"
        try await posting(try apps("http://\(destination)/in", hosts: [destination])) { counters in
            try receiver.answer(["503 600", "close", "302", "big"])
            try await happen(2)
            for failures in ["status 503", "hung up", "redirects are not followed"] {
                _ = try await eventually("it fails: \(failures)") {
                    try await record().state.reason.contains(failures)
                }
                let state = try await record().state
                #expect(state.failures == 1 && state.disabledAt == nil)
                let wait = state.dueAt.seconds - WallClock.now().asRead.seconds
                #expect(failures == "status 503" ? (590...600).contains(wait) : (2...5).contains(wait), "\(wait)")
                try await hurry()
            }
            let requests = try await receiver.requests(5)
            #expect(Set(requests.prefix(4).map(\.id)).count == 1 && requests[4].id != requests[0].id)
            #expect(requests.allSatisfy { $0.isSigned && $0.path == "/in" })
            try await eventually("nothing waits") { try await record().waiting == 0 }
            #expect(try await record().state.failures == 0)
            #expect(counters.tries["news"] == [.delivered: 2, .refused: 2, .unanswered: 1])
        }
        receiver.stop()
    }

    @Test func `one that hangs is given up after the time-out, and 410 for good`() async throws {
        let receiver = try await WebhookReceiver(secret: Self.secret)
        let destination = "127.0.0.1:\(receiver.port)"
        try await posting(try apps("http://\(destination)/in", hosts: [destination]), timeout: .milliseconds(300)) {
            _ in
            try receiver.answer(["hang", "410"])
            try await happen(1)
            _ = try await eventually("it is silent") {
                try await record().state.reason.hasSuffix("no answer in time")
            }
            try await hurry()
            _ = try await eventually("it is given up") { try await record().state.disabledAt != nil }
            let gone = try await record()
            #expect(gone.waiting == 1 && gone.state.reason == "status 410")
            #expect(receiver.requests.count == 2)
            try await hurry()
            _ = try await receiver.requests(3)
            try await eventually("nothing waits") { try await record().waiting == 0 }
        }
        receiver.stop()
    }

    @Test func `over TLS the receiver's certificate must be right by the CA file, and the name must be its own`()
        async throws
    {
        let authority = try CertificateAuthority(commonName: "test")
        let server = try authority.issueServer(names: ["localhost"])
        try folder.write("ca.pem", authority.certificatePEM)
        let certificate = try folder.write("server.pem", server.certificatePEM)
        let key = try folder.write("server.key", server.privateKeyPEM)
        let receiver = try await WebhookReceiver(secret: Self.secret, certificate: certificate, key: key)
        let destination = "localhost:\(receiver.port)"
        try await posting(try apps("https://\(destination)/in", authority: "ca.pem", hosts: [destination])) { _ in
            try await happen(3)
            #expect(try await receiver.requests(3).allSatisfy(\.isSigned))
            try await eventually("nothing waits") { try await record().waiting == 0 }
        }
        // By an address that the certificate lacks, and by the system's CAs: no event is sent.
        for (host, file) in [("127.0.0.1", "ca.pem" as String?), ("localhost", nil)] {
            let destination = "\(host):\(receiver.port)"
            try await posting(try apps("https://\(destination)/in", authority: file, hosts: [destination])) { _ in
                try await happen(1)
                let reason = try await eventually("it is refused") {
                    let reason = try await record().state.reason
                    return reason.isEmpty ? nil : reason
                }
                #expect(reason.contains("certificate"), "\(reason)")
            }
        }
        #expect(receiver.requests.count == 3)
        receiver.stop()
    }

    @Test func `a host whose name leads into the own network is not connected to`() async throws {
        let receiver = try await WebhookReceiver(secret: Self.secret)
        let own = try SocketAddress(ipAddress: "127.0.0.1", port: receiver.port)
        let others = try ["10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1"].map {
            try SocketAddress(ipAddress: $0, port: receiver.port)
        }
        func post(_ addresses: [SocketAddress], _ scope: AddressScope) async throws -> HTTP1Poster.Answer {
            let destination = HTTP1Poster.Destination(
                host: "hooks.example.com",
                port: receiver.port,
                authority: "hooks.example.com",
                tls: nil,
                scope: scope
            )
            let resolver = AddressResolver { _, _, loop in loop.makeSucceededFuture(addresses) }
            let poster = HTTP1Poster(
                destination,
                loop: MultiThreadedEventLoopGroup.singleton.next(),
                resolver: resolver
            )
            defer { poster.close() }
            return try await poster.post("/in", headers: [], body: Array("{}".utf8), timeout: .seconds(5))
        }
        // As if an allowed host's name had been redirected to another address.
        let refused = try await #require(throws: HTTP1Error.self) { try await post([own] + others, .global) }
        #expect(refused.description.contains("has no global address"))
        #expect(receiver.requests.isEmpty)
        // The connection goes to the checked address and does not resolve the name again.
        #expect(try await post(others.dropLast() + [own], .loopback).status == 204)
        #expect(receiver.requests.count == 1)
        receiver.stop()
    }

    @Test func `of two workers one posts, and when it is killed the other goes on without losing an event`()
        async throws
    {
        let receiver = try await WebhookReceiver(secret: Self.secret)
        let destination = "127.0.0.1:\(receiver.port)"
        let apps = try apps("http://\(destination)/in", hosts: [destination])
        let entries = apps.webhookEntries
        // The first was killed in the middle: its lease has a while to go, and its posts are not recorded.
        let begun = ContinuousClock.now
        let past = WallClock.now().asRead.advanced(by: .zero - LedgerTransaction.webhookLease + .seconds(2))
        try await ledger.write(.synced) { try $0.setWebhooks(entries, now: past) }
        try await happen(30)
        let number = try await record().number
        #expect(try await ledger.write { try $0.takeWebhook(number, worker: 1, now: past) } != nil)
        try await posting(apps) { _ in
            try await posting(apps, worker: 3) { _ in
                let requests = try await receiver.requests(30)
                #expect(ContinuousClock.now - begun >= .milliseconds(1500))
                let published = try await ledger.read { try $0.events(limit: 100) }
                #expect(requests.map { Array($0.body.utf8) } == published.map(\.body))
                try await eventually("nothing waits") { try await record().waiting == 0 }
                #expect(receiver.requests.count == 30)
            }
        }
        receiver.stop()
    }
}
