import Campaigns
import FanfareKit
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns that the app shows instead of the system: the library against a running server.
    @Suite("Told inside the app") @MainActor
    struct Inside {
        private static let announcement: JSONValue = [
            "title": "An offer", "subtitle": "Today", "body": "Only today", "category": "YES_NO", "layout": "COUPON",
            "url": "app://offer", "data": ["shop": 7],
            "announcement": ["format": "text", "title": "Ten percent", "body": "On all scarves"],
            "localizations": ["es": ["title": "Una oferta"]],
        ]

        @Test func `a campaign shown in_app is told of at the next session, once, without a push; the report says so`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let site = try await open(fleet)
                let phone = site.phone
                _ = try await fleet.startWorker()
                try await publish("offer", "announcement", Self.announcement, show: "in_app", fleet)
                try await eventually("it is live") { try await fleet.status("offer")?.state == "sending" }
                let told = try await told(phone)
                #expect(told.title == "An offer" && told.subtitle == "Today" && told.body == "Only today")
                #expect(told.push.kind == .announcement && told.push.messageID?.utf8.count == 22)
                #expect(told.push.layout == "COUPON" && told.push.category == "YES_NO")
                #expect(told.push.variables == ["shop": .number(7)])
                phone.end = .acted(nil)
                told.actioned()
                try await phone.kit().settled()
                #expect(phone.presented.map(\.announcement?.title) == ["Ten percent"])

                var funnel = ExpectedFunnel()
                funnel.add("in_app", "displayed")
                funnel.add("in_app", "actioned", "action")
                funnel.add("content", "displayed")
                funnel.add("content", "actioned", "action")
                try await expect(funnel, of: "offer", fleet)
                let status = try #require(try await fleet.status("offer"))
                #expect(status.audience == 1 && status.counts.accepted == 1 && status.law == .holds)
                #expect(status.attempts == 0 && fleet.simulator.statistics.requests == 0)

                // A phone whose app was reinstalled remembers nothing, but the server does.
                try await phone.kill()
                try FileManager.default.removeItem(at: phone.folder.appending(path: "notifications.json"))
                try await start(site)
                #expect(try await offers(site) == 0)
                #expect(try await fleet.run("campaign", "cancel", "offer").exit == 0)
                try await phone.kill()
            }
        }

        @Test func `a push in front is told of inside the app, or by the system alone where the job says so`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: 8) { fleet in
                let site = try await open(fleet)
                let (phone, token) = (site.phone, site.token)
                _ = try await fleet.startWorker()
                for (id, show) in [("both", "any"), ("loud", "system")] {
                    try await publish(id, "notification", ["title": "Kick-off"], show: show, fleet)
                    #expect(try await fleet.completed(id).counts.accepted == 1)
                }
                let both = try #require(fleet.payloads(of: "both")[token])
                let loud = try #require(fleet.payloads(of: "loud")[token])
                try phone.kit().didBecomeActive()
                #expect(try await !phone.displayed(both).contains(.banner))
                try await phone.kit().settled()
                #expect(phone.told?.push.campaign == "both")
                #expect(try await phone.displayed(loud).contains(.banner))
                try await phone.kit().settled()
                var (inside, outside) = (ExpectedFunnel(), ExpectedFunnel())
                inside.add("in_app", "displayed")
                outside.add("system", "displayed")
                try await expect(inside, of: "both", fleet)
                try await expect(outside, of: "loud", fleet)
                // A campaign that came as a push is not offered.
                #expect(try await offers(site) == 0)
                try await phone.kill()
            }
        }

        @Test func `whom no push can reach is told of it at the next session, and is counted where it ended`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let site = try await open(fleet)
                let phone = site.phone
                try phone.kit().setPermission(.denied)
                let id = try #require(await phone.kit().deviceID()).uuidString.lowercased()
                try await eventually("the registry knows that it allows nothing") {
                    let device = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: id) }
                    return device?.traits.permission == .denied
                }
                _ = try await fleet.startWorker()
                for (id, show) in [("any", "any"), ("system", "system")] {
                    try await publish(id, "poll", Self.poll, show: show, fleet)
                    let status = try await fleet.completed(id)
                    #expect(status.counts.skipped == 1 && status.reasons["OptedOut"] == 1)
                }
                let told = try await told(phone)
                #expect(told.push.campaign == "any" && told.push.kind == .poll)
                phone.end = .answered(["who": ["real"]])
                told.actioned("YES")
                try await phone.kit().settled()
                var funnel = ExpectedFunnel()
                funnel.add("in_app", "displayed")
                funnel.add("in_app", "actioned", "YES")
                funnel.add("content", "displayed")
                try await expect(funnel, of: "any", fleet)
                #expect(try await fleet.report("any")["poll"]?["answered"]?.integer == 1)
                let status = try #require(try await fleet.status("any"))
                #expect(status.counts.skipped == 1 && status.counts.accepted == 0 && status.law == .holds)
                #expect(fleet.simulator.statistics.requests == 0)
                try await expect(ExpectedFunnel(), of: "system", fleet)
                #expect(try await offers(site) == 0)
                try await phone.kill()
            }
        }

        // MARK: -

        private static let poll: JSONValue = [
            "title": "Who wins?",
            "poll": [
                "questions": [
                    [
                        "id": "who", "title": "Who?",
                        "choices": [["id": "real", "title": "Real"], ["id": "atleti", "title": "Atleti"]],
                    ]
                ]
            ],
        ]

        /// A registered phone with its server.
        private struct Site {
            let phone: KitPhone
            let token: String
            let port: Int
            let key: String
        }

        private func open(_ fleet: PrivateFleet) async throws -> Site {
            let key = try await fleet.openEdge()
            let port = try await fleet.startServer()
            let token = TestDevices.tokens(1)[0]
            let phone = KitPhone(token: token, folder: "\(fleet.folder)/phone")
            phone.sessionTimeout = 0
            phone.notifier = .draws
            let site = Site(phone: phone, token: token, port: port, key: key)
            try await start(site)
            return site
        }

        private func start(_ site: Site) async throws {
            try site.phone.start("http://127.0.0.1:\(site.port)", key: site.key)
            try await eventually("it is registered") { site.phone.isRegistered }
        }

        private func publish(
            _ id: String,
            _ kind: String,
            _ content: JSONValue,
            show: String,
            _ fleet: PrivateFleet
        ) async throws {
            var job = TestJob(id, [])
            (job.kind, job.audience, job.content) = (kind, ["everyone": true], content)
            job.delivery = ["show": .string(show)]
            try await fleet.publish(job)
        }

        /// Returns the notification that the phone draws when one of its sessions brings one.
        private func told(_ phone: KitPhone) async throws -> InAppNotification {
            let kit = try phone.kit()
            return try await eventually("a session brings it") {
                kit.willResignActive()
                kit.didBecomeActive()
                await kit.settled()
                return phone.told
            }
        }

        /// Returns the number of campaigns that the server would offer to a session of the phone.
        private func offers(_ site: Site) async throws -> Int? {
            let file = site.phone.folder.appending(path: "registration.json")
            let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: Any]]
            let secret = try #require(kept?["memory"]?["secret"] as? String)
            let session = #"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "2026-11-20T21:05:00Z"}"#
            let answer = try await Phone.Edge(port: site.port)
                .ask("POST", "/v1/sessions", bearer: secret, bytes: Data(session.utf8))
            return JSONReader.read(Array(answer.body)).value?["notifications"]?.array?.count
        }

        private func expect(_ funnel: ExpectedFunnel, of campaign: String, _ fleet: PrivateFleet) async throws {
            try await eventually("the funnel of \(campaign)") {
                funnel.differences(from: try await fleet.report(campaign)).isEmpty
            }
        }
    }
}
