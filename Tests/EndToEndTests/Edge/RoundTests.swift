import Campaigns
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The whole cycle: registered by HTTP, sent to, seen, tracked, counted.
    @Suite("Round")
    struct Round {
        private static let count = FullSuite.isOn ? 10_000 : 2_000

        /// A phone's action on a push, as it reports it.
        private struct Deed: Sendable {
            var type: String
            var surface = "system"
            var action: String?
            var reason: String?

            func event(_ messageID: String, at: Timestamp) -> JSONValue {
                .object([
                    "id": .string(UUID().uuidString.lowercased()), "m": .string(messageID), "type": .string(type),
                    "surface": .string(surface), "action": action.map(JSONValue.string),
                    "reason": reason.map(JSONValue.string), "at": .string(at.rfc3339),
                ])
            }
        }

        /// Draws the behavior of each phone, once.
        private func deeds(_ random: inout SeededRandom) -> [Deed] {
            var deeds = [Deed(type: "received")]
            if random.chance(0.9) { deeds.append(Deed(type: "displayed")) }
            if random.chance(0.4) {
                deeds.append(Deed(type: "opened"))
                deeds.append(Deed(type: "displayed", surface: "content"))
                switch random.below(3) {
                case 0: deeds.append(Deed(type: "actioned", surface: "content", action: "BUY"))
                case 1: deeds.append(Deed(type: "exited", surface: "content"))
                default: deeds.append(Deed(type: "dropped", surface: "content", reason: "NoPresenter"))
                }
            } else if random.chance(0.2) {
                deeds.append(Deed(type: "actioned", action: random.chance(0.5) ? "LIKE" : "UNLIKE"))
            }
            return deeds
        }

        @Test func `phones register, get a push, fetch its content and track; the funnel is what they did`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: Self.count + 2_000) { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let tokens = TestDevices.tokens(Self.count)
                let phones = try await Phone.Edge.forEach(Array(tokens.enumerated())) { number, token in
                    try await Phone(id: "phone-\(number)", token: token).registered(edge, key: key)
                }
                try await fleet.putCoupon()
                var job = TestJob("derby", [])
                job.audience = .object(["everyone": true])
                job.content = .object(["title": "A coupon", "rich": ["type": "coupon", "id": "c-81"]])
                try await fleet.publish(job)
                #expect(try await fleet.completed("derby").counts.accepted == Self.count)

                let pushes = try fleet.pushes()
                #expect(pushes.count == Self.count)
                let expected = try await use(phones, pushes, edge)
                try await eventually("everything is counted") {
                    let received = try await fleet.report("derby")["surfaces"]?["system"]?["received"]
                    return received?["devices"]?.integer.map { Int($0) } == Self.count
                }
                // Late events follow them in the same queue.
                try await eventually("the queue is empty") { try await fleet.waitingTracking() == 0 }
                try await eventually("the funnel is what the phones did") {
                    let report = try await fleet.report("derby")
                    return expected.allSatisfy { report.devices($0.key) == $0.value }
                }
                let report = try await fleet.report("derby")
                for (index, count) in expected { #expect(report.devices(index) == count, "\(index)") }
            }
        }

        /// Runs the phones' actions, a fifth of them twice, late or out of order; returns the number of each.
        private func use(
            _ phones: [Phone],
            _ pushes: [String: JSONValue],
            _ edge: Phone.Edge
        ) async throws -> [String: Int] {
            var random = SeededRandom(seed: 20)
            var expected: [String: Int] = [:]
            var plans: [(phone: Phone, requests: [[JSONValue]], late: [JSONValue], rich: String)] = []
            let now = TestClock.now()
            for phone in phones {
                let push = try #require(pushes[phone.token])
                let messageID = try #require(push["m"]?.string)
                let deeds = deeds(&random)
                for deed in deeds {
                    expected["\(deed.surface)/\(deed.type)", default: 0] += 1
                    if let detail = deed.action ?? deed.reason {
                        expected["\(deed.surface)/\(deed.type)/\(detail)", default: 0] += 1
                    }
                }
                var events = deeds.map { $0.event(messageID, at: now) }
                var late: [JSONValue] = []
                if random.chance(0.2) {
                    switch random.below(3) {
                    case 0: events += events
                    case 1: events.reverse()
                    default:
                        // The events that an offline phone kept for a day, and sends again although they arrived.
                        late = deeds.map { $0.event(messageID, at: now.advanced(by: .seconds(-86_400))) }
                        events = [events[0]]
                    }
                }
                plans.append((phone, [events], late, try #require(push["r"]?.string)))
            }
            let known = plans
            _ = try await Phone.Edge.forEach(Array(known.indices)) { index in
                let plan = known[index]
                let content = try await edge.ask("GET", "/v1/messages/\(plan.rich)", bearer: plan.phone.secret)
                #expect(content.status == 200 && content.fields["content-type"]?.hasPrefix("text/html") == true)
                for events in plan.requests { try await track(events, plan.phone, edge) }
            }
            _ = try await Phone.Edge.forEach(known.indices.filter { !known[$0].late.isEmpty }) { index in
                try await track(known[index].late, known[index].phone, edge)
            }
            return expected
        }

        private func track(_ events: [JSONValue], _ phone: Phone, _ edge: Phone.Edge) async throws {
            let body: JSONValue = ["events": .array(events)]
            let answer = try await edge.ask("POST", "/v1/tracking", bearer: phone.secret, body: body)
            #expect(answer.status == 202, "\(String(decoding: answer.body, as: UTF8.self))")
        }
    }
}

extension JSONValue {
    /// Returns the number of devices at a path of a report: `system/opened`, or `content/actioned/BUY`.
    fileprivate func devices(_ index: String) -> Int? {
        let words = index.split(separator: "/").map(String.init)
        let step = self["surfaces"]?[words[0]]?[words[1]]
        guard words.count > 2 else { return step?["devices"]?.integer.map { Int($0) } }
        return (step?["actions"] ?? step?["reasons"])?[words[2]]?.integer.map { Int($0) }
    }
}
