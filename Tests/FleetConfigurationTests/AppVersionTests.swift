import Campaigns
import Delivery
import PushProviders
import TLS
import Testing

@testable import Settings

/// The version of an app's entry, by which a fleet finds a worker with another one.
struct AppVersionTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        for name in ["one", "two"] { try folder.write("\(name).p8", ES256.generateKey().privateKeyPEM) }
    }

    private func apps(_ lines: String, key: String = "one.p8") throws -> [AppConfiguration] {
        let block = "topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: \(key)"
        return try AppsFile.read(
            path: try folder.write("apps.yaml", "apps:\n  news:\n    apns: {\(block)}\n\(lines)")
        )
    }

    private func version(_ lines: String = "", key: String = "one.p8") throws -> String {
        try #require(try apps(lines, key: key).first).version
    }

    @Test func `it is the same whatever the order of the fields and the name of the key's file`() throws {
        let first = try version("    time_zone: Europe/Madrid\n    per_second: 100\n")
        #expect(try version("    per_second: 100\n    time_zone: Europe/Madrid\n") == first)
        #expect(first.utf8.count == 8 && first.allSatisfy(\.isHexDigit))
        let key = try #require(try apps("").first?.accounts.first?.files["one.p8"])
        try folder.write("copy.p8", key.bytes)
        #expect(try version(key: "copy.p8") == version())
    }

    @Test func `it is another with another value, field or key`() throws {
        let versions = [
            try version(), try version("    per_second: 100\n"), try version("    per_second: 101\n"),
            try version(key: "two.p8"), try version("    default_locale: es\n"),
        ]
        #expect(Set(versions).count == versions.count)
    }

    @Test func `a worker reports the version in use, also of an entry that changes nothing else`() throws {
        let directory = try AppDirectory(try apps("    per_second: 100\n"))
        let before = directory.health.versions
        let reading = try directory.compare(try apps("    per_second: 0100\n"))
        #expect(reading.isSame)
        #expect(directory.health.versions == before)
        directory.use(reading)
        #expect(directory.health.versions.keys.sorted() == ["news"] && directory.health.versions != before)
    }

    @Test func `a credential's health is the provider's last word, until it is replaced`() throws {
        let now = Timestamp(milliseconds: 1_795_289_400_000)
        let directory = try AppDirectory(try apps(""))
        let account = try #require(directory.account(app: "news", provider: .apns))
        #expect(directory.health.credentials == [WorkerHealth.Credential(app: "news", provider: .apns)])
        _ = account.supply(for: account.account.endpoint(nil), now: now)
        account.refused("InvalidProviderToken", at: now)
        account.refused("InvalidProviderToken; check the clock", at: now.advanced(by: .seconds(5)))
        var health = try #require(directory.health.credentials.first)
        #expect(health.madeAt == now && health.expiresAt == nil)
        #expect(health.refusal?.since == now && health.refusal?.reason.hasSuffix("check the clock") == true)
        account.accepted(at: now.advanced(by: .seconds(9)))
        health = try #require(directory.health.credentials.first)
        #expect(health.refusal == nil && health.acceptedAt == now.advanced(by: .seconds(9)))
        account.refused("InvalidProviderToken", at: now)
        directory.use(try directory.compare(try apps("", key: "two.p8")))
        #expect(directory.health.credentials.first?.refusal == nil)
    }

    @Test func `a certificate's end is that of its leaf`() throws {
        let authority = try CertificateAuthority(commonName: "test")
        let identity = try authority.issueClient(commonName: "com.example.news", days: 20)
        let client = TLSClientContext.Identity(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM,
            source: "test"
        )
        let end = try #require(client.endsAt)
        let later = try authority.issueClient(commonName: "com.example.news", days: 21)
        let other = TLSClientContext.Identity(certificatePEM: later.certificatePEM, privateKeyPEM: [], source: "test")
        #expect(abs(try #require(other.endsAt) - end - 86_400) <= 5)
        let chain = identity.certificatePEM + authority.certificatePEM
        #expect(TLSClientContext.Identity(certificatePEM: chain, privateKeyPEM: [], source: "test").endsAt == end)
        #expect(TLSClientContext.Identity(certificatePEM: [], privateKeyPEM: [], source: "none").endsAt == nil)
    }
}
