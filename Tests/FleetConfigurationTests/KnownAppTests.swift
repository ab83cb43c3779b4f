import Campaigns
import PushProviders
import TLS
import Testing

@testable import Operations
@testable import Settings

/// The check of a job before it is published, and by intake.
struct KnownAppTests {
    private let apps: [AppConfiguration]
    private let now = Timestamp(milliseconds: 1_795_289_400_000)

    init() throws {
        let folder = try ScratchFolder()
        let identity = try CertificateAuthority(commonName: "test").issueClient(commonName: "a.b")
        try folder.write("c.pem", identity.certificatePEM)
        try folder.write("k.pem", identity.privateKeyPEM)
        let block = "topic: a.b, certificate_file: c.pem, private_key_file: k.pem"
        apps = try AppsFile.read(path: try folder.write("apps.yaml", "apps:\n  news:\n    apns: {\(block)}\n"))
    }

    private func job(pushType: PushType? = nil) -> Job {
        var content = Content()
        content.title = "Good morning"
        content.url = "https://example.com/derby"
        var delivery = DeliveryOptions()
        delivery.pushType = pushType
        return Job(
            id: "derby",
            app: "news",
            audience: .list(name: "fans", version: nil),
            content: content,
            delivery: delivery
        )
    }

    @Test func `whoever publishes a job learns what intake would refuse, the app's own settings included`() throws {
        let job = job(pushType: .location)
        let worker = KnownApp("news", in: try AppDirectory(apps))
        let intake = worker.check(job, with: apps[0].accounts.map(\.account.provider), now: now)
        let local = LocalIntake.check(job, apps: apps, now: now)
        // A certificate cannot send this type.
        #expect(intake.problems.contains { $0.pointer == "/delivery/push_type" && $0.code == "conflict" })
        #expect(local.problems == intake.problems)
        #expect(local.warnings == intake.warnings)
    }

    @Test func `without a key for message ids a link reaches no app; of an unknown app nothing is said`() throws {
        let job = job()
        let links = { (check: JobCheck) in check.warnings.filter { $0.pointer == "/content/url" }.count }
        #expect(links(LocalIntake.check(job, apps: apps, now: now)) == 1)
        #expect(links(KnownApp("news", in: try AppDirectory(apps)).check(job, with: [], now: now)) == 1)
        #expect(links(LocalIntake.check(job, apps: [], now: now)) == 0)
    }
}
