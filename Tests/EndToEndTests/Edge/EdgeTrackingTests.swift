import Campaigns
import Foundation
import Servers
import Settings
import Store
import Testing

extension EndToEnd {
    /// Phones that talk to a real server over HTTP, as the built program runs it.
    @Suite("Edge tracking")
    struct EdgeTracking {
        /// A server with an edge, and the data that a phone needs to talk to it.
        private struct Edge: Sendable {
            let door: Phone.Edge
            let keys: MessageKeys
            let secrets: [String]

            func post(_ path: String, _ body: String, as phone: Int) async throws -> (status: Int, answer: JSONValue) {
                let answer = try await door.ask("POST", path, bearer: secrets[phone], bytes: Data(body.utf8))
                return (answer.status, JSONReader.read(Array(answer.body)).value ?? .null)
            }

            func id(_ campaign: UInt32, _ device: Int, app: String = PrivateFleet.app) -> String {
                MessageID.signed(campaign: campaign, devices: [UInt32(device)], app: app, keys: keys)[0]
            }
        }

        private func event(_ m: String, _ type: String, _ number: Int, _ more: String = "") -> String {
            let digits = String(1_000_000_000_000 + number).dropFirst()
            let at = TestClock.now().rfc3339
            return
                "{\"id\":\"0a1b2c3d-0000-4000-8000-\(digits)\",\"m\":\"\(m)\",\"type\":\"\(type)\",\"at\":\"\(at)\"\(more)}"
        }

        private func body(_ events: String...) -> String { "{\"events\": [\(events.joined(separator: ","))]}" }

        private func withEdge(
            phones: Int,
            onItsOwn isOnItsOwn: Bool = false,
            _ test: (PrivateFleet, Edge) async throws -> Void
        ) async throws {
            try await PrivateFleet.with { fleet in
                let (door, key) = try await fleet.startEdge(onItsOwn: isOnItsOwn)
                _ = try await fleet.startWorker()
                var secrets: [String] = []
                for (number, token) in TestDevices.tokens(phones).enumerated() {
                    secrets.append(
                        try await Phone(id: "phone-\(number)", token: token).registered(door, key: key).secret
                    )
                }
                let keys = try MessageKeys(file: Array(PrivateFleet.messageKey.utf8))
                try await test(fleet, Edge(door: door, keys: keys, secrets: secrets))
            }
        }

        private func sent(
            _ fleet: PrivateFleet,
            _ id: String,
            kind: String? = nil,
            content: JSONValue? = nil
        ) async throws
            -> UInt32
        {
            var members = [
                JSONMember("id", .string(id)), JSONMember("app", .string(PrivateFleet.app)),
                JSONMember("audience", .object(["everyone": true])),
                JSONMember("content", content ?? .object(["title": "Goal"])),
            ]
            if let kind { members.append(JSONMember("kind", .string(kind))) }
            let text = JSONValue.object(members).text
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(fleet.folder)/\(id).json"))
            let outcome = try await fleet.run("campaign", "send", "\(id).json")
            try #require(outcome.exit == 0, "\(outcome)")
            _ = try await fleet.completed(id)
            return try await fleet.number(id)
        }

        private func funnel(_ fleet: PrivateFleet, _ number: UInt32) async throws -> Funnel {
            try await fleet.ledger.read { try $0.funnel(campaign: number) }
        }

        @Test(.hurtsItsBroker)
        func `in an alarm of the broker phones are told to come again, and what they say counts once`()
            async throws
        {
            try await withEdge(phones: 1) { fleet, edge in
                let number = try await sent(fleet, "derby")
                let received = body(event(edge.id(number, 0), "received", 1))
                #expect(try await edge.post("/v1/tracking", received, as: 0).status == 202)
                let opened = body(event(edge.id(number, 0), "opened", 2))
                let node = try await PrivateBroker.node()
                try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.00001")
                do {
                    let fields = try await eventually("nothing is taken") {
                        let answer = try await edge.door.ask(
                            "POST",
                            "/v1/tracking",
                            bearer: edge.secrets[0],
                            bytes: Data(opened.utf8)
                        )
                        return answer.status == 503 ? answer.fields : nil
                    }
                    #expect(fields["retry-after"] == "5")
                } catch {
                    try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
                    throw error
                }
                try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
                try await eventually("it is taken") {
                    try await edge.post("/v1/tracking", opened, as: 0).status == 202
                }
                try await eventually("it counts once") {
                    let steps = try await fleet.report("derby")["surfaces"]?["system"]
                    return steps?["opened"]?["devices"]?.integer == 1 && steps?["received"]?["devices"]?.integer == 1
                }
            }
        }

        @Test func `of every kind, on every surface, each type of event is taken with what it carries, and reported`()
            async throws
        {
            let contents: [EventTable.Kind: JSONValue] = [
                .notification: ["title": "Goal"],
                .announcement: ["title": "Goal", "announcement": ["format": "text", "body": "Whose"]],
                .poll: [
                    "title": "Goal",
                    "poll": ["questions": [["id": "q", "title": "?", "choices": [["id": "a", "title": "A"]]]]],
                ],
                .dataPush: ["data_push": ["encoding": "text", "body": "goal"]],
                .native: ["apns": ["aps": ["alert": "Goal"]]],
                .inApp: ["in_app": ["type": "slideup", "message": "Goal"]],
            ]
            #expect(EventTable.Kind.allCases.map(\.rawValue) == CampaignKind.allCases.map(\.rawValue))
            try await withEdge(phones: 1) { fleet, edge in
                for kind in EventTable.Kind.allCases {
                    let content = try #require(contents[kind])
                    let campaign: UInt32
                    if kind == .inApp {
                        var job = TestJob("in_app", [])
                        (job.kind, job.audience, job.content) = ("in_app", ["everyone": true], content)
                        job.delivery = ["in_app": ["triggers": [["on": "session_start"]]]]
                        try await fleet.publish(job)
                        try await eventually("it is live") { try await fleet.status("in_app")?.state == "sending" }
                        campaign = try await fleet.number("in_app")
                    } else {
                        campaign = try await sent(fleet, kind.rawValue, kind: kind.rawValue, content: content)
                    }
                    try await tell(all: kind, edge.id(campaign, 0), edge)
                    try await eventually("all of \(kind) is counted") {
                        counted(try await fleet.report(kind.rawValue))
                            == EventTable.Surface.allCases.count * EventTable.Event.allCases.count
                    }
                    try expectDetails(of: kind, in: try await fleet.report(kind.rawValue))
                }
            }
        }

        /// Sends every event of a kind as its row requires, then without each required member and with each forbidden
        /// one.
        private func tell(all kind: EventTable.Kind, _ m: String, _ edge: Edge) async throws {
            var number = 1000 * (EventTable.Kind.allCases.firstIndex(of: kind) ?? 0)
            for surface in EventTable.Surface.allCases {
                for type in EventTable.Event.allCases {
                    let row = EventTable.row(kind, surface, type)
                    var good = ",\"surface\":\"\(surface.rawValue)\""
                    var bad: [String] = []
                    for (name, presence) in [("action", row.action), ("reason", row.reason)] {
                        let member = ",\"\(name)\":\"IT\""
                        switch presence {
                        case .required: (bad, good) = (bad + [good], good + member)
                        case .allowed: good += member
                        case .forbidden: bad.append(good + member)
                        }
                    }
                    for more in bad {
                        number += 1
                        let answer = try await edge.post(
                            "/v1/tracking",
                            body(event(m, type.rawValue, number, more)),
                            as: 0
                        )
                        #expect(answer.status == 422, "\(kind) \(surface) \(type) \(more)")
                    }
                    number += 1
                    let answer = try await edge.post("/v1/tracking", body(event(m, type.rawValue, number, good)), as: 0)
                    #expect(answer.status == 202, "\(kind) \(surface) \(type): \(answer)")
                }
            }
        }

        private func counted(_ report: JSONValue) -> Int {
            EventTable.Surface.allCases.reduce(0) { sum, surface in
                sum
                    + EventTable.Event.allCases.count {
                        report["surfaces"]?[surface.rawValue]?[$0.rawValue]?["devices"]?.integer == 1
                    }
            }
        }

        private func expectDetails(of kind: EventTable.Kind, in report: JSONValue) throws {
            for surface in EventTable.Surface.allCases {
                for type in EventTable.Event.allCases {
                    let said = report["surfaces"]?[surface.rawValue]?[type.rawValue]
                    let words = EventTable.row(kind, surface, type).words
                    for name in ["actions", "reasons"] {
                        #expect(said?[name]?["IT"]?.integer == (name == words ? 1 : nil), "\(kind) \(surface) \(type)")
                    }
                }
            }
        }

        @Test func `what a phone says is counted once, and forged, foreign, wrong or oversized requests store nothing`()
            async throws
        {
            try await withEdge(phones: 3) { fleet, edge in
                let number = try await sent(fleet, "derby")
                let opened = body(event(edge.id(number, 0), "opened", 1), event(edge.id(number, 0), "received", 2))
                for _ in 0..<3 { #expect(try await edge.post("/v1/tracking", opened, as: 0).status == 202) }
                let acted = body(
                    event(edge.id(number, 1), "actioned", 3, ",\"action\":\"LIKE\",\"surface\":\"content\"")
                )
                #expect(try await edge.post("/v1/tracking", acted, as: 1).status == 202)

                let good = event(edge.id(number, 2), "displayed", 4)
                var forged = Array(edge.id(number, 2).utf8)
                forged[20] = forged[20] == 65 ? 66 : 65
                let cases: [(String, Int, String?)] = [
                    (body(good, event(String(decoding: forged, as: UTF8.self), "opened", 5)), 422, "/events/1/m"),
                    (body(good, event(edge.id(number, 2, app: "shop"), "opened", 6)), 422, "/events/1/m"),
                    (body(good, event(edge.id(number, 2), "seen", 7)), 422, "/events/1/type"),
                    ("{\"events\": [", 422, nil), ("{\"events\": []}", 422, "/events"),
                    (body(good) + String(repeating: " ", count: 300_000), 413, nil),
                ]
                for (text, status, pointer) in cases {
                    let answer = try await edge.post("/v1/tracking", text, as: 2)
                    #expect(answer.status == status, "\(answer)")
                    if let pointer { #expect(answer.answer["pointer"]?.string == pointer, "\(answer)") }
                    #expect(answer.answer["reason"]?.string?.isEmpty == false)
                }
                try await eventually("the good ones are counted") {
                    try await funnel(fleet, number).devices == [
                        .init(.system, .opened): 1, .init(.system, .received): 1, .init(.content, .actioned): 1,
                        .init(.content, .actioned, "LIKE"): 1,
                    ]
                }
                // A refused event would have been written by now, together with the later ones.
                #expect(
                    try await edge.post("/v1/tracking", body(event(edge.id(number, 0), "exited", 9)), as: 0).status
                        == 202
                )
                try await eventually("the last one is counted") {
                    try await funnel(fleet, number)[.system, .exited] == 1
                }
                #expect(try await funnel(fleet, number)[.system, .displayed] == 0)
                let words = Data(opened.utf8)
                let unknown = try await edge.door.ask("POST", "/v1/tracking", bearer: "nobody", bytes: words)
                #expect(unknown.status == 403)
                let report = try await fleet.report("derby")
                #expect(report["surfaces"]?["content"]?["actioned"]?["actions"]?["LIKE"]?.integer == 1)
            }
        }

        @Test func `opens of many phones on a few connections of HTTP 2 count once, however often they come`()
            async throws
        {
            try await withEdge(phones: 20, onItsOwn: true) { fleet, edge in
                let number = try await sent(fleet, "derby")
                // 6,000 devices: every fifth sends its event on a second connection too, and all connections send at
                // once.
                func asked(_ devices: some Sequence<Int>) -> [StreamClient.Asked] {
                    devices.map { device in
                        StreamClient.Asked(
                            "POST",
                            "/v1/tracking",
                            secret: edge.secrets[device % 20],
                            id: "r\(device)",
                            body: body(event(edge.id(number, device), "opened", device))
                        )
                    }
                }
                let connections = [
                    asked(0..<3_000), asked(3_000..<6_000), asked(stride(from: 5_995, through: 0, by: -5)),
                ]
                try await withThrowingTaskGroup(of: [StreamClient.Answer].self) { group in
                    for requests in connections {
                        group.addTask { try await StreamClient.run(requests, to: edge.door.port) }
                    }
                    for try await answers in group { #expect(answers.allSatisfy { $0.status == 202 }) }
                }
                try await eventually("all are counted", within: .seconds(60)) {
                    try await funnel(fleet, number)[.system, .opened] == 6_000
                }
                // A repeated event would have been written by now, together with the later ones.
                let last = body(event(edge.id(number, 0), "exited", 9_999))
                #expect(try await edge.post("/v1/tracking", last, as: 0).status == 202)
                try await eventually("the last one is counted") {
                    try await funnel(fleet, number)[.system, .exited] == 1
                }
                #expect(try await funnel(fleet, number)[.system, .opened] == 6_000)
            }
        }

        @Test func `a poll of thousands of answers with repeats counts each device's first`() async throws {
            try await withEdge(phones: 20) { fleet, edge in
                let poll = """
                    {"title": "Vote", "poll": {"questions": [
                     {"id": "q1", "title": "Who?", "choices": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]},
                     {"id": "q2", "title": "What?", "select": "many",
                      "choices": [{"id": "x", "title": "X"}, {"id": "y", "title": "Y"}]}]}}
                    """
                let number = try await sent(
                    fleet,
                    "vote",
                    kind: "poll",
                    content: JSONReader.read(Array(poll.utf8)).value
                )
                @Sendable func answers(_ device: Int, _ first: String, _ others: String) -> String {
                    """
                    {"m": "\(edge.id(number, device))", "at": "\(TestClock.now().rfc3339)", "answers": [
                     {"question": "q1", "choices": ["\(first)"]}, {"question": "q2", "choices": [\(others)]}]}
                    """
                }
                let path = "/v1/polls/vote/answers"
                #expect(
                    try await edge.post(path, answers(0, "z", ""), as: 0).answer["pointer"]?.string
                        == "/answers/0/choices/0"
                )
                #expect(try await edge.post("/v1/polls/nothing/answers", answers(0, "a", ""), as: 0).status == 404)
                // Every fourth device answers again, differently.
                let devices = FullSuite.isOn ? 8_000 : 2_000
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for lane in 0..<20 {
                        group.addTask {
                            for device in stride(from: lane, to: devices, by: 20) {
                                let first = answers(
                                    device,
                                    device % 3 == 0 ? "a" : "b",
                                    device % 2 == 0 ? "\"x\", \"y\"" : "\"y\""
                                )
                                let taken = try await edge.post(path, first, as: lane)
                                #expect(taken.status == 202)
                                guard device % 4 == 0 else { continue }
                                let again = answers(device, device % 3 == 0 ? "b" : "a", "\"x\"")
                                let repeated = try await edge.post(path, again, as: lane)
                                #expect(repeated.status == 202)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let thirds = (0..<devices).count { $0 % 3 == 0 }
                let expected = ["q1": ["a": thirds, "b": devices - thirds], "q2": ["x": devices / 2, "y": devices]]
                try await eventually("all are counted", within: .seconds(60)) {
                    try await funnel(fleet, number).answered == devices
                }
                #expect(try await funnel(fleet, number).choices == expected)
            }
        }
    }
}
