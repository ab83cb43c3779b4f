import Campaigns
import Delivery
import HTTP2
import PushProviders
import TLS
import Testing

@testable import Operations
@testable import Settings

/// Requests to browsers as sent over the wire, from the app's block to the browser's plaintext.
struct SealedRequestTests {
    private let folder: ScratchFolder
    private let account: LoadedAccount
    private let vapid: ES256.SigningKey
    private let now = Timestamp(milliseconds: 1_795_289_400_000)
    private let origin = "https://push.example.net:8443"

    init() throws {
        folder = try ScratchFolder()
        // In the form in which tools for Web Push print a key.
        let scalar = [UInt8](1...32)
        vapid = try ES256.SigningKey(privateKey: scalar, source: "test")
        try folder.write("news.vapid", Base64URL.encode(scalar) + [0x0a])
        try folder.write("message.key", "1 " + String(repeating: "11", count: 32))
        let publicKey = String(decoding: Base64URL.encode(try vapid.publicKey()), as: UTF8.self)
        let text = """
            apps:
              news:
                webpush: {subject: "mailto:push@example.com", public_key: \(publicKey), private_key_file: news.vapid}
                edge: {message_key_file: message.key}

            """
        let apps = try AppsFile.read(path: try folder.write("apps.yaml", text))
        let provider = ProviderName(rawValue: "webpush")
        account = try #require(try AppDirectory(apps).account(app: "news", provider: provider))
    }

    /// A request as a push service sees it.
    private struct Seen {
        var fields: [String: String] = [:]
        var body: [UInt8] = []
    }

    private func job(body: String) -> Job {
        var content = Content()
        content.title = "Kick-off"
        content.body = body
        return Job(id: "derby", app: "news", audience: .everyone, content: content)
    }

    private func shard(_ job: Job, _ devices: DeviceBatch) -> Shard {
        let push = account.account.provider.compile(job, carriesMessageID: true)
        let facts = Shard.Facts(
            push,
            of: job,
            provider: account.account.provider.name,
            environment: PushEnvironment(rawValue: origin),
            expiresAt: now.advanced(by: .seconds(600))
        )
        return Shard(
            id: ShardID(key: ShardKey(campaign: 7, part: 0, ordinal: 0), path: ""),
            generation: 1,
            attempt: 1,
            facts: facts,
            firstIndex: 0,
            positions: [],
            devices: devices
        )
    }

    private func token(_ browser: MessageOpener, path: String, publicKey: [UInt8]? = nil) throws -> [UInt8] {
        let (key, secret) = (publicKey ?? browser.publicKey, browser.authentication)
        let text = [key, secret].map { String(decoding: Base64URL.encode($0), as: UTF8.self) }
        let json = #"{"endpoint":"\#(origin)\#(path)","keys":{"p256dh":"\#(text[0])","auth":"\#(text[1])"}}"#
        let form = account.account.provider.tokens
        let reading = try #require(form.token(json))
        #expect(reading.environment?.rawValue == origin)
        return form.bytes(of: reading.text)
    }

    /// Sends a shard's devices over a connection in memory; returns nil for one that gets no request.
    private func send(_ shard: Shard) throws -> [Seen?] {
        let endpoint = account.account.endpoint(shard.facts.environment)
        guard case .ready(let authorization) = account.supply(for: endpoint, now: now) else {
            Issue.record("no token")
            return []
        }
        let requests = account.account.requests(for: shard.facts, authorization: authorization.value, now: now)
        let template = RequestTemplate(requests, shard, account: account)
        let client = try HTTP2ClientSession(configuration: .init())
        let server = try HTTP2ServerSession(configuration: .init())
        return try (0..<shard.devices.count).map { position in
            let isSent = try client.submit(now: 0) { template.write(position, &$0) }
            #expect(isSent == (template.leftOut == nil))
            guard isSent else { return nil }
            var buffer = [UInt8](repeating: 0, count: 32_000)
            while case let count = buffer.withUnsafeMutableBytes({ client.drain(into: $0, threshold: 15_000) }),
                count > 0
            {
                try buffer.withUnsafeBytes { try server.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
            var seen = Seen()
            server.takeRequests { request in
                request.forEachField {
                    seen.fields[String(decoding: $0, as: UTF8.self)] = String(decoding: $1, as: UTF8.self)
                }
                seen.body = Array(request.body)
            }
            return seen
        }
    }

    @Test(arguments: [false, true])
    func `each browser gets a message that it alone can read, at the path of its subscription`(isPersonal: Bool) throws
    {
        let browsers = try (0..<3).map { index in
            try MessageOpener(authentication: [UInt8](repeating: UInt8(index), count: 16))
        }
        var devices = DeviceBatch()
        for (index, browser) in browsers.enumerated() {
            let path = "/push/" + String(repeating: "\(index)", count: 1 + 40 * index)
            devices.append(token: try token(browser, path: path), variables: ["name": "N\(index)"])
        }
        let seen = try send(shard(job(body: isPersonal ? "Hi {{ name }}" : "Hi"), devices))
        try #require(seen.count == 3)
        var identifiers: Set<String> = []
        for (index, browser) in browsers.enumerated() {
            let request = try #require(seen[index])
            #expect(request.fields[":path"] == "/push/" + String(repeating: "\(index)", count: 1 + 40 * index))
            #expect(request.fields[":authority"] == "push.example.net:8443")
            #expect(request.fields["ttl"] == "600" && request.fields["content-encoding"] == "aes128gcm")
            let text = try browser.open(request.body)
            let value = try #require(JSONReader.read(text).value)
            #expect(value["notification"]?["body"]?.string == (isPersonal ? "Hi N\(index)" : "Hi"))
            let identifier = try #require(value["fanfare"]?["m"]?.string)
            #expect(identifier.utf8.count == 22 && !identifier.hasPrefix("---"))
            identifiers.insert(identifier)
            #expect(throws: TLSError.self) { try browsers[(index + 1) % 3].open(request.body) }
        }
        #expect(identifiers.count == 3)
    }

    @Test func `requests carry a token for the push service that the app's key has signed`() throws {
        let browser = try MessageOpener(authentication: [UInt8](repeating: 1, count: 16))
        var devices = DeviceBatch()
        devices.append(token: try token(browser, path: "/x"))
        let request = try #require(try send(shard(job(body: "Hi"), devices)).first ?? nil)
        let authorization = try #require(request.fields["authorization"])
        try #require(authorization.hasPrefix("vapid t="))
        let parts = authorization.dropFirst("vapid t=".count).split(separator: ",").map { Array($0.utf8) }
        try #require(parts.count == 2)
        let words = parts[0].split(separator: UInt8(ascii: "."))
        let key = try #require(Base64URL.decode(Array(parts[1].dropFirst(" k=".count))))
        #expect(try key == vapid.publicKey())
        let signature = try #require(Base64URL.decode(Array(words[2])))
        let signed = Array(words[0]) + [UInt8(ascii: ".")] + Array(words[1])
        #expect(try ES256.VerificationKey(publicKey: key, source: "k").verifies(signature: signature, of: signed))
        let claims = try #require(Base64URL.decode(Array(words[1])).flatMap { JSONReader.read($0).value })
        #expect(claims["aud"]?.string == origin)
    }

    @Test func `a browser whose key is none gets no request, and the others do`() throws {
        let browser = try MessageOpener(authentication: [UInt8](repeating: 1, count: 16))
        var offCurve = browser.publicKey
        offCurve[64] ^= 1
        var devices = DeviceBatch()
        devices.append(token: try token(browser, path: "/bad", publicKey: offCurve))
        devices.append(token: try token(browser, path: "/good"))
        let seen = try send(shard(job(body: "Hi"), devices))
        try #require(seen.count == 2)
        #expect(seen[0]?.fields == nil)
        let good = try #require(seen[1])
        #expect(good.fields[":path"] == "/good")
        #expect(throws: Never.self) { try browser.open(good.body) }
    }
}
