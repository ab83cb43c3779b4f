import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Per-device content, as it arrives at the simulator.
    @Suite("Templates")
    struct Templates {
        private static let locales: [(locale: String?, hello: String)] = [
            ("es-ES", "Hola"), ("pt-BR", "Oi"), ("pt-PT", "Olá"), (nil, "Hi"),
        ]

        private struct Fan {
            let token: String
            let index: Int

            var locale: String? { Templates.locales[index % 4].locale }
            var hello: String { Templates.locales[index % 4].hello }
            var first: String? { index % 5 == 0 ? nil : ["Ana", "Zoë \"Z\"", "\u{1}\\", "María\n"][index / 4 % 4] }
            var points: Int { index }
            /// The club; every seventh device has none, and the template drops it.
            var club: String? { index % 7 == 0 ? nil : "Atleti" }

            var json: JSONValue {
                var variables = [JSONMember("points", .number(JSONNumber(points)))]
                if let first { variables.append(JSONMember("first", .string(first))) }
                if let club { variables.append(JSONMember("club", .string(club))) }
                return .object([
                    "token": .string(token), "locale": locale.map { .string($0) }, "variables": .object(variables),
                ])
            }

            var title: String { "\(hello) \(first ?? "fan")!" }
            var body: String { "Atleti: \(points > 100 ? "gold" : "\(points + 1)")" }
        }

        private func job(_ fans: [Fan]) -> TestJob {
            var job = TestJob("derby", [])
            job.audience = .object(["devices": .array(fans.map(\.json))])
            func title(_ hello: String) -> JSONValue { .string(hello + " {{ first | default: \"fan\" }}!") }
            job.content = .object([
                "title": title("Hi"),
                "body": .string(
                    "{% if club == blank %}{% abort \"no club\" %}{% endif %}"
                        + "{{ club }}: {% if points > 100 %}gold{% else %}{{ points | plus: 1 }}{% endif %}"
                ),
                "badge": "{{ points | at_most: 9 }}", "data": .object(["deep": .array([.string("p-{{ points }}")])]),
                "localizations": .object([
                    "es": .object(["title": title("Hola")]), "pt": .object(["title": title("Olá")]),
                    "pt-BR": .object(["title": title("Oi")]),
                ]),
            ])
            job.delivery = .object(["collapse_id": "club-{{ club | downcase }}-{{ points | modulo: 3 }}"])
            return job
        }

        @Test
        func `four languages and three variables: each device its own, dropped ones none, repeats the same bytes`()
            async throws
        {
            let faults = ["rules": "5030=once-503"]
            try await PrivateFleet.with(faults: faults, requestsKept: 4000) { fleet in
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(1150) + TestDevices.tokens(50, prefix: "5030")
                let fans = tokens.enumerated().map { Fan(token: $1, index: $0) }
                try await fleet.publish(job(fans))
                let status = try await fleet.completed("derby")
                let dropped = fans.filter { $0.club == nil }
                #expect(status.audience == 1200 && status.law == .holds)
                #expect(status.counts.skipped == dropped.count && status.counts.accepted == 1200 - dropped.count)
                #expect(status.reasons["Aborted: no club"] == dropped.count)

                let byToken = Dictionary(uniqueKeysWithValues: fans.map { ($0.token, $0) })
                var bodies: [String: Set<[UInt8]>] = [:]
                for request in fleet.simulator.lastRequests {
                    let token = String(request.path.split(separator: "/").last ?? "")
                    let fan = try #require(byToken[token])
                    #expect(fan.club != nil)
                    bodies[token, default: []].insert(request.payload)
                    let payload = try #require(JSONReader.read(request.payload).value)
                    #expect(payload["aps"]?["alert"]?["title"]?.string == fan.title)
                    #expect(payload["aps"]?["alert"]?["body"]?.string == fan.body)
                    #expect(payload["aps"]?["badge"]?.integer == Int64(min(9, fan.points)))
                    #expect(payload["deep"]?.array?.first?.string == "p-\(fan.points)")
                    #expect(request.headers["apns-collapse-id"] == "club-atleti-\(fan.points % 3)")
                }
                #expect(Set(bodies.keys) == Set(fans.filter { $0.club != nil }.map(\.token)))
                #expect(bodies.values.allSatisfy { $0.count == 1 })
                #expect(fleet.simulator.lastRequests.count > 1200 - dropped.count)
                #expect(try await fleet.devices("derby").differing.isEmpty)
            }
        }

        @Test func `a device whose text is too long fails alone, and intake has said so`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                var job = TestJob("derby", [])
                job.audience = .object([
                    "devices": .array(
                        TestDevices.tokens(3).enumerated().map { index, token in
                            let text = String(repeating: "x", count: index == 1 ? 4080 : 10)
                            return .object(["token": .string(token), "variables": .object(["text": .string(text)])])
                        }
                    )
                ])
                job.content = .object(["title": "{{ text }}", "body": "{{ txt }}"])
                job.isUrgent = true
                job.delivery = .object(["urgency": "urgent"])
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 2 && status.counts.failed == 1)
                #expect(status.reasons["PayloadTooLarge"] == 1)
                let accepted = try #require(try await listener.events("campaign.accepted", of: "derby").first)
                #expect(accepted.json.text.contains("maybe_too_large"), "\(accepted.json.text)")
                #expect(accepted.json.text.contains("unknown_variable"))
                await listener.close()
            }
        }

        @Test func `a template that does not compile is refused with its place`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                var job = TestJob("derby", TestDevices.tokens(1))
                job.content = .object(["title": "Hi\n {{ first | upcse }}"])
                try await fleet.publish(job)
                let refused = try #require(try await listener.events("campaign.refused", of: "derby").first)
                let error = refused.json["data"]?["errors"]?.array?.first
                #expect(error?["pointer"]?.string == "/content/title" && error?["code"]?.string == "template")
                #expect(error?["detail"]?.string == "line 2, column 13: there is no filter upcse")
                #expect(error?["mend"]?.string == "did you mean upcase?")
                await listener.close()
            }
        }
    }
}
