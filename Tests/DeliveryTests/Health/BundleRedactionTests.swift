import Campaigns
import Delivery
import Testing

@Suite struct BundleRedactionTests {
    private let redaction = BundleRedaction(secrets: ["s3same", "s3same-open"])

    @Test(arguments: [
        // A token of APNs, one of FCM, a provider token, an access token's and a trace's digits.
        "token 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 is dead",
        "token dPx_8Yw-Q0:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx_m2kPpT0x9 is dead",
        "authorization: bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJBIn0.x",
        "with eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "amqp://fanfare:p4ss/w@rd@rabbit-1:5672,rabbit-2/news", "postgresql://h/db?password=p4ss%20w&sslmode=require",
        "{\"user\":\"ana\",\"password\":\"p4ss w\",\"port\":1}", "Secret: p4ss",
        "said s3same-open", "said s3same, twice s3same",
    ])
    func `what has the form of a secret is hidden`(line: String) {
        let text = redaction.redacted(line)
        #expect(text.contains(BundleRedaction.mark))
        for secret in ["fc13adff", "APA91b", "m2kPpT", "eyJhbG", "4bf92f", "p4ss", "s3same"] {
            #expect(!text.contains(secret), "\(text)")
        }
    }

    @Test(arguments: [
        "fanfare_worker_problems{code=\"ledger_writes\"} 0", "fanfare_edge_secrets_refused_total 12",
        "2026-11-20T21:05:00.120Z NOTICE  worker is up name=fanfare-worker-7d9f8b6c5d-x2x9z.17",
        "amqp://fanfare@rabbit-1:5672/news", "http://127.0.0.1:9464/metrics", "fcm: TooManyProviderTokenUpdates",
        "queue fanfare.v1.work.apns.bulk is ruled by policy x", "sport@3f2a9c41d07be5f86a12", "",
        "campaign derby-kickoff-2026-11-20 of news", "66a2b4e2-1f0d-4b8e-9a51-6a0f4b1f7f52",
    ])
    func `what people need stays`(line: String) { #expect(redaction.redacted(line) == line) }

    @Test func `a key is hidden from its first line to its last, and other lines stay lines`() {
        let text = "a\n-----BEGIN PRIVATE KEY-----\nMIGT\nAgEA\n-----END PRIVATE KEY-----\nb\n"
        #expect(redaction.redacted(text) == "a\n***\n***\n***\n***\nb\n")
    }

    @Test func `of an event's texts only instants, states and codes are taken`() throws {
        let data = try #require(
            JSONReader.read(
                Array(
                    #"{"audience":5,"state":"completed","detail":"Mark4711","by":"c","x":{"y":1},"reasons":["breaker"],"z":[1]}"#
                        .utf8
                )
            ).value
        )
        #expect(BundleEvent.chosen(data).text == #"{"audience":5,"state":"completed","by":"c","reasons":["breaker"]}"#)
        #expect(BundleEvent.chosen(.string("Mark4711")).text == "{}")
    }
}
