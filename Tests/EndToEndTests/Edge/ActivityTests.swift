import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Live Activities that a campaign starts, updates and ends, with phones that register their tokens at the edge.
    @Suite("Activities")
    struct Activities {
        private static let count = 40

        /// A phone's token for an activity; one that begins with `dead` is answered 410.
        private static func token(_ number: Int, prefix: String) -> String {
            TestDevices.tokens(number + 1, prefix: prefix)[number]
        }

        private static func job(_ id: String, _ event: String, _ audience: JSONValue) -> TestJob {
            var job = TestJob(id, [])
            job.audience = audience
            let isStart = event == "start"
            let activity = JSONValue.object([
                "event": .string(event), "timestamp": .number(JSONNumber(TestClock.now().seconds)),
                "content_state": ["score": .string(id)], "attributes_type": isStart ? "Match" : nil,
                "attributes": isStart ? ["match": 7] : nil,
            ])
            job.content = .object(["title": isStart ? "Kick-off" : nil, "live_activity": activity])
            return job.delivered(["push_type": "liveactivity", "priority": "normal", "ttl": 600])
        }

        private static let followers: JSONValue = ["activity": ["type": "Match", "id": "match-7"]]

        @Test func `it starts where it may, is updated by the tokens of those who follow, and ends with them`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "dead=dead"], requestsKept: 400) { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let own = TestDevices.tokens(Self.count)
                // Every fourth phone has no token to start with.
                let phones = try await Phone.Edge.forEach(Array(own.enumerated())) { number, token in
                    let start: (id: String?, token: String) = (nil, Self.token(number, prefix: "b"))
                    let starts = number % 4 == 0 ? [] : [start]
                    return try await Phone(id: "phone-\(number)", token: token)
                        .registered(edge, key: key, [Phone.activities(starts)])
                }
                try await fleet.publish(Self.job("start", "start", ["everyone": true]))
                let started = try await fleet.completed("start")
                #expect(started.audience == Self.count && started.law == .holds)
                #expect(started.counts.accepted == 30 && started.counts.skipped == 10)
                #expect(started.reasons["NoToken"] == 10)

                // Each phone where it started says the activity's token; three of these die at once.
                for (number, phone) in phones.enumerated() where number % 4 != 0 {
                    let prefix = [1, 2, 3].contains(number) ? "dead" : "c"
                    try await phone.says(
                        [(nil, Self.token(number, prefix: "b")), ("match-7", Self.token(number, prefix: prefix))],
                        to: edge
                    )
                }
                try await fleet.publish(Self.job("first", "update", Self.followers))
                let first = try await fleet.completed("first")
                #expect(first.audience == 30 && first.counts.accepted == 27 && first.counts.invalid == 3)
                #expect(fleet.simulator.counts(ofToken: own[1]).requests == 0, "a phone's own token is another")
                #expect(fleet.simulator.counts(ofToken: Self.token(5, prefix: "c")).requests == 1)
                let request = try #require(fleet.simulator.lastRequests.last)
                #expect(request.headers["apns-topic"] == "com.example.news.push-type.liveactivity")
                #expect(request.headers["apns-priority"] == "5")

                // A death is the token's alone; one rotates, and one phone swipes the activity away.
                try await phones[5].says([("match-7", Self.token(5, prefix: "e"))], to: edge)
                try await phones[6].says([], to: edge)
                try await fleet.publish(Self.job("second", "update", Self.followers))
                let second = try await fleet.completed("second")
                #expect(second.audience == 26 && second.counts.accepted == 26)
                #expect(fleet.simulator.counts(ofToken: Self.token(5, prefix: "c")).requests == 1)
                #expect(fleet.simulator.counts(ofToken: Self.token(5, prefix: "e")).requests == 1)
                let device = try await fleet.ledger.read {
                    try $0.device(app: PrivateFleet.app, installation: "phone-1")
                }
                #expect(device?.state == .live)
                let shown = try await fleet.run("device", "show", "phone-5", "--app", PrivateFleet.app, "--json")
                let tokens = JSONReader.read(Array(shown.output.utf8)).value?.array?.first?["activities"]?.array
                #expect(tokens?.map { $0["id"] } == ["match-7"], "\(shown.output)")

                try await fleet.publish(Self.job("over", "end", Self.followers))
                #expect(try await fleet.completed("over").counts.accepted == 26)
                try await fleet.publish(Self.job("late", "update", Self.followers))
                let late = try await eventually("nobody follows it any more") {
                    let status = try await fleet.status("late")
                    return status?.state == "failed" ? status : nil
                }
                #expect(late.audience == 0)
            }
        }

        /// Registers devices that all have a token to start with, and all but every tenth one of the activity.
        private static func enroll(_ count: Int, in fleet: PrivateFleet) async throws {
            let tokens = ["a", "b", "c"].map { TestDevices.tokens(count, prefix: $0) }
            func bytes(_ text: String) -> [UInt8] {
                stride(from: 0, to: text.count, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16) ?? 0 }
            }
            for start in stride(from: 0, to: count, by: 500) {
                let words = (start..<start + 500).map { number in
                    let id = "d\(number)"
                    let follows = ActivityToken(type: "Match", id: "match-7", token: bytes(tokens[2][number]))
                    let secret = Array(id.utf8) + Array(repeating: 0, count: 32 - id.utf8.count)
                    return Enrolment(
                        registration: DeviceRegistration(
                            device: Device(token: tokens[0][number], id: id),
                            tags: .set(number % 2 == 0 ? ["derby"] : ["cup"])
                        ),
                        token: bytes(tokens[0][number]),
                        proof: .integrationKey(secretHash: secret, user: nil, key: nil),
                        activities: [ActivityToken(type: "Match", token: bytes(tokens[1][number]))]
                            + (number % 10 == 0 ? [] : [follows])
                    )
                }
                let now = fleet.ledger.now()
                try await fleet.ledger.write(.normal) { transaction in
                    for word in words { _ = try transaction.enroll(word, app: PrivateFleet.app, now: now) }
                }
            }
        }

        @Test func `many who follow are sent to while they are frozen, each once by the token that is meant`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let count = 5_000
                try await Self.enroll(count, in: fleet)
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("start", "start", ["segment": "derby"]))
                try await fleet.publish(Self.job("goal", "update", Self.followers))
                let started = try await fleet.completed("start")
                #expect(started.audience == count / 2 && started.counts.accepted == count / 2)
                let goal = try await fleet.completed("goal")
                #expect(goal.audience == count * 9 / 10 && goal.counts.accepted == count * 9 / 10)
                #expect(started.law == .holds && goal.law == .holds)
                let (own, starts, follows) = (
                    TestDevices.tokens(count), TestDevices.tokens(count, prefix: "b"),
                    TestDevices.tokens(count, prefix: "c")
                )
                for number in 0..<count {
                    let seen = [own, starts, follows].map {
                        fleet.simulator.counts(ofToken: $0[number]).requests
                    }
                    #expect(seen == [0, number % 2 == 0 ? 1 : 0, number % 10 == 0 ? 0 : 1], "device \(number)")
                }
            }
        }
    }
}
