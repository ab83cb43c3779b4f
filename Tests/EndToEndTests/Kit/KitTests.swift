import Campaigns
import FanfareKit
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The library against a running server: statuses, polls, the order of announcements, sessions.
    @Suite("Kit") @MainActor
    struct Kit {
        @Test func `each way in which a registration can end reaches the delegate with its reason`() async throws {
            try await PrivateFleet.with { fleet in
                let key = try await fleet.openEdge()
                let made = try await fleet.run("app", "key", "create", PrivateFleet.app, "--name", "old")
                let old = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try await fleet.run("app", "key", "revoke", PrivateFleet.app, "--name", "old").exit == 0)
                let server = "http://127.0.0.1:\(try await fleet.startServer())"
                let token = TestDevices.tokens(1)[0]
                let nobody = "http://127.0.0.1:\(try LoopbackPorts.free(1)[0])"
                let cases:
                    [(server: String, key: String, token: String, status: FanfareKit.RegistrationResult.Status)] = [
                        (server, key, token, .registered), (server, "fik_wrong", token, .integrationKeyUnknown),
                        (server, old, token, .integrationKeyUnknown), (server, "", token, .integrationKeyEmpty),
                        (server, key, "no-token", .tokenInvalid), ("", key, token, .serverEmpty),
                        (nobody, key, token, .connectionIssue),
                    ]
                for (number, it) in cases.enumerated() {
                    let phone = KitPhone(token: it.token, folder: "\(fleet.folder)/status-\(number)")
                    try phone.start(it.server, key: it.key)
                    let result = try await eventually("\(it.status) is told") { phone.results.last }
                    #expect(result.status == it.status, "\(result)")
                    #expect(result.status == .registered || result.reason?.isEmpty == false, "\(result)")
                    if it.status == .tokenInvalid { #expect(result.pointer == "/token") }
                    try await phone.kill()
                }
            }
        }

        @Test func `a reinstall with the old id, a new token and no secret is registered under a new id`() async throws
        {
            try await PrivateFleet.with { fleet in
                let key = try await fleet.openEdge()
                let server = "http://127.0.0.1:\(try await fleet.startServer())"
                let tokens = TestDevices.tokens(2)
                let folder = "\(fleet.folder)/reinstalled"
                let first = KitPhone(token: tokens[0], folder: folder)
                try first.start(server, key: key)
                try await eventually("it is registered") { first.isRegistered }
                let old = try #require(await first.kit().deviceID())
                try await first.kill()
                // The state of a phone restored from a backup, without the parts that a backup must not hold.
                let file = URL(filePath: folder + "/registration.json")
                var kept = try #require(
                    try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: Any]]
                )
                for name in ["secret", "told", "toldAt"] { kept["memory"]?[name] = nil }
                kept["facts"]?["token"] = nil
                try JSONSerialization.data(withJSONObject: kept).write(to: file)
                let again = KitPhone(token: tokens[1], folder: folder)
                try again.start(server, key: key)
                try await eventually("it is registered anew") { again.isRegistered }
                #expect(again.results.map(\.status) == [.deviceExists, .registered])
                #expect(try await again.kit().deviceID() != old)
                try await again.kill()
            }
        }

        @Test func `announcements come one at a time, and a poll's answers count`() async throws {
            try await PrivateFleet.with(requestsKept: 16) { fleet in
                let (phone, token) = try await open(fleet)
                _ = try await fleet.startWorker()
                for (id, kind, content) in [
                    ("one", "announcement", Self.announcement), ("two", "announcement", Self.announcement),
                    ("guess", "poll", Self.poll),
                ] {
                    var job = TestJob(id, [])
                    (job.kind, job.audience, job.content) = (kind, ["everyone": true], content)
                    try await fleet.publish(job)
                    #expect(try await fleet.completed(id).counts.accepted == 1)
                }
                for id in ["one", "two", "guess"] {
                    let payload = try #require(fleet.payloads(of: id)[token])
                    try await phone.received(payload)
                    try await phone.tapped(payload)
                }
                try await phone.kit().settled()
                #expect(phone.presented.map(\.push.campaign) == ["one"])
                phone.presented[0].actioned()
                try await phone.kit().settled()
                // Calls after the end do not count.
                phone.presented[0].exited()
                #expect(phone.links == ["app://shop"])
                #expect(phone.presented.map(\.push.campaign) == ["one", "two"])
                phone.end = .answered(["who": ["atleti"]])
                phone.presented[1].exited()
                try await phone.kit().settled()
                #expect(phone.presented.map(\.push.campaign) == ["one", "two", "guess"])
                #expect(phone.presented[2].poll?.questions.first?.choices.map(\.id) == ["real", "atleti"])

                var funnel = ExpectedFunnel()
                for step in ["received", "opened"] { funnel.add("system", step) }
                funnel.add("content", "displayed")
                var (acted, left) = (funnel, funnel)
                acted.add("content", "actioned", "action")
                left.add("content", "exited")
                for (id, expected) in [("one", acted), ("two", left), ("guess", funnel)] {
                    try await expect(expected, of: id, fleet)
                }
                let choices = try await fleet.report("guess")["poll"]?["questions"]?.array?.first?["choices"]
                #expect(choices?["atleti"]?.integer == 1 && choices?["real"]?.integer == 0)
                try await phone.kill()
            }
        }

        @Test func `a session brings messages, an event shows one, and what is done with it is counted`() async throws {
            try await PrivateFleet.with { fleet in
                let (phone, token) = try await open(fleet)
                _ = try await fleet.startWorker()
                var job = TestJob("tickets", [token])
                (job.kind, job.content) = ("in_app", Self.message)
                job.delivery = ["in_app": ["triggers": [["on": "custom_event", "name": "goal"]]]]
                try await fleet.publish(job)
                try await eventually("it is live") { try await fleet.status("tickets")?.state == "sending" }
                let kit = try phone.kit()
                try await eventually("the session brings it") {
                    // A new session each time, because the server may not have known the message the first time.
                    kit.willResignActive()
                    kit.didBecomeActive()
                    await kit.settled()
                    kit.log(.custom("kick_off"))
                    kit.log(.custom("goal", ["minute": .number(12)]))
                    await kit.settled()
                    return !phone.shown.isEmpty
                }
                #expect(phone.shown.map(\.message.header) == ["Two tickets left"])
                phone.shown[0].close(.button("BUY"))
                await kit.settled()
                #expect(phone.links == ["app://tickets"])
                var funnel = ExpectedFunnel()
                funnel.add("in_app", "displayed")
                funnel.add("in_app", "actioned", "BUY")
                try await expect(funnel, of: "tickets", fleet)
                try await phone.kill()
            }
        }

        @Test func `content that a push names is there for who opens it, and a silent push's is shown by the phone`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: 16) { fleet in
                let (phone, token) = try await open(fleet)
                _ = try await fleet.startWorker()
                try await fleet.putCoupon()
                let rich: JSONValue = ["type": "coupon", "id": "c-81"]
                for (id, content) in [
                    ("loud", ["title": "A coupon", "rich": rich]),
                    ("quiet", ["content_available": true, "rich": rich, "data": ["message": "Ten percent"]]),
                ] as [(String, JSONValue)] {
                    var job = TestJob(id, [token])
                    job.content = content
                    try await fleet.publish(job)
                    #expect(try await fleet.completed(id).counts.accepted == 1)
                }
                let (taken, coupons) = AsyncStream.makeStream(of: RichContent.self)
                try phone.kit().onContent("coupon", types: ["text/html"]) { content, _ in coupons.yield(content) }

                let loud = try #require(fleet.payloads(of: "loud")[token])
                #expect(try await phone.received(loud) == .newData)
                try await phone.tapped(loud)
                var coupon = taken.makeAsyncIterator()
                let content = try #require(await coupon.next())
                #expect(String(decoding: content.data, as: UTF8.self) == "<p>Ten percent</p>")
                #expect(content.contentType == "text/html" && content.name.id == "c-81")

                let quiet = try #require(fleet.payloads(of: "quiet")[token])
                #expect(try await phone.received(quiet) == .newData)
                #expect(phone.notifications.map(\.body) == ["Ten percent"])
                #expect(phone.notifications.map(\.id) == ["quiet"])
                try await phone.kit().settled()
                var funnel = ExpectedFunnel()
                funnel.add("system", "received")
                var (shown, opened) = (funnel, funnel)
                shown.add("system", "displayed")
                opened.add("system", "opened")
                try await expect(shown, of: "quiet", fleet)
                try await expect(opened, of: "loud", fleet)
                try await phone.kill()
            }
        }

        private func open(_ fleet: PrivateFleet) async throws -> (KitPhone, String) {
            let key = try await fleet.openEdge()
            let port = try await fleet.startServer()
            let token = TestDevices.tokens(1)[0]
            let phone = KitPhone(token: token, folder: "\(fleet.folder)/phone")
            phone.sessionTimeout = 0
            try phone.start("http://127.0.0.1:\(port)", key: key)
            try await eventually("it is registered") { phone.isRegistered }
            return (phone, token)
        }

        private func expect(_ funnel: ExpectedFunnel, of campaign: String, _ fleet: PrivateFleet) async throws {
            try await eventually("the funnel of \(campaign)") {
                funnel.differences(from: try await fleet.report(campaign)).isEmpty
            }
        }

        private static let announcement: JSONValue = [
            "title": "An offer",
            "announcement": [
                "format": "text", "title": "Ten percent", "body": "On all scarves", "action_label": "Buy",
                "action_url": "app://shop",
            ],
        ]

        private static let poll: JSONValue = [
            "title": "Who wins?",
            "poll": [
                "title": "The derby",
                "questions": [
                    [
                        "id": "who", "title": "Who wins?", "select": "one",
                        "choices": [["id": "real", "title": "Real"], ["id": "atleti", "title": "Atleti"]],
                    ]
                ],
            ],
        ]

        private static let message: JSONValue = [
            "in_app": [
                "type": "modal", "header": "Two tickets left",
                "buttons": [["id": "BUY", "label": "Buy", "url": "app://tickets"]],
            ]
        ]
    }
}
