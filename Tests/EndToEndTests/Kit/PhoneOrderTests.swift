import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The other orders of `fanfare phone` besides tapping, of a person and of an app.
    @Suite("Phone orders")
    struct PhoneOrders {
        @Test func `the keyboard and the app's choice decide over an in-app message, and an event without one is said`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                // No pause between messages here.
                let phone = try await TypedPhone(fleet, "--in-app-interval", "0")
                try phone.say("keyboard up", "local slideup Two tickets left", "show")
                try await phone.sees("nothing is on the screen")
                try phone.say("keyboard down")
                try await phone.sees(#"in-app message (slideup): "Two tickets left""#)
                try phone.say("close", "choose later", "local modal Last call")
                try await phone.sees("the in-app message own-2 is put off")
                try phone.say("choose now", "next")
                try await phone.sees(#"in-app message (modal): "Last call""#)
                try phone.say("close", "choose discard", "local modal Too late")
                try await phone.sees("the in-app message own-3 is not shown: delegate")
                try phone.say("event kick_off")
                try await phone.sees("no in-app message is for kick_off")

                let outcome = try await phone.quits("show")
                #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
            }
        }

        @Test
        func `a data push that is declined and a poll's own choices are counted, and 0 clears the screen`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let phone = try await TypedPhone(fleet)
                try phone.say("data decline")
                try await send(
                    "refresh",
                    "data_push",
                    ["data_push": ["encoding": "text", "body": "now", "category": "sync"]],
                    fleet
                )
                try await phone.sees("data push sync: 3 bytes, declined")
                try await send("guess", "poll", Self.poll, fleet)
                try await phone.sees(#"notification 1: "Who wins?" [media: https://cdn.example.com/a.jpg]"#)
                try phone.say("tap")
                try await phone.sees(#"who "Who wins?": real "Real", atleti "Atleti" (taken)"#)
                try phone.say("answer defaults")
                try await send("goal", nil, ["title": "Goal", "badge": 2], fleet)
                try await phone.sees(#"notification 2: "Goal""#)
                let outcome = try await phone.quits("badge 0", "wait sent 120", "show")
                #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
                // No count, no notifications.
                #expect(outcome.output.contains("the icon shows no count\n"))
                #expect(outcome.output.hasSuffix("nothing is on the screen\n"), "\(outcome.output)")
                var declined = ExpectedFunnel()
                declined.add("system", "received")
                declined.add("content", "exited")
                var answered = ExpectedFunnel()
                for step in ["received", "displayed", "opened"] { answered.add("system", step) }
                answered.add("content", "displayed")
                try await expect([("refresh", declined), ("guess", answered)], fleet)
                let choices = try await fleet.report("guess")["poll"]?["questions"]?.array?.first?["choices"]
                #expect(choices?["atleti"]?.integer == 1 && choices?["real"]?.integer == 0)
            }
        }

        @Test
        func `with a notifier a push in front is shown inside the app, in its place, and never by the system too`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let phone = try await TypedPhone(fleet)
                try phone.say("notifier on", "area news")
                try await send("goal", nil, ["title": "Goal", "body": "1-0", "url": "app://match"], fleet)
                try await phone.sees(#"in-app notification (in news): "Goal" "1-0""#)
                try phone.say("tap")
                try await phone.sees("opens app://match")
                try phone.say("area -")
                try await send("half", nil, ["title": "Half time"], fleet)
                try await phone.sees(#"in-app notification (bottom): "Half time""#)
                try phone.say("dismiss", "notifier decline")
                try await send("corner", nil, ["title": "Corner"], fleet)
                try phone.say("wait push 120", "wait push 120", "wait push 120", "wait sent 120", "notifier off")
                try await eventually("the drop is told") {
                    try await fleet.report("corner")["surfaces"]?["in_app"]?["dropped"]?["devices"]?.integer == 1
                }
                let outcome = try await phone.quits("show")
                #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
                // Nothing was left to the system.
                #expect(outcome.output.hasSuffix("nothing is on the screen\n"), "\(outcome.output)")
                var (opened, closed, dropped) = (ExpectedFunnel(), ExpectedFunnel(), ExpectedFunnel())
                opened.add("system", "received")
                opened.add("in_app", "displayed")
                closed = opened
                opened.add("in_app", "actioned", "action")
                closed.add("in_app", "exited")
                dropped.add("system", "received")
                dropped.add("in_app", "dropped", "Declined")
                try await expect([("goal", opened), ("half", closed), ("corner", dropped)], fleet)
            }
        }

        private func send(_ id: String, _ kind: String?, _ content: JSONValue, _ fleet: PrivateFleet) async throws {
            var job = TestJob(id, [])
            (job.kind, job.audience, job.content) = (kind, ["everyone": true], content)
            try await fleet.publish(job)
            #expect(try await fleet.completed(id).counts.accepted == 1)
        }

        private func expect(_ funnels: [(id: String, funnel: ExpectedFunnel)], _ fleet: PrivateFleet) async throws {
            for (id, funnel) in funnels {
                try await eventually("the funnel of \(id)") {
                    funnel.differences(from: try await fleet.report(id)).isEmpty
                }
            }
        }

        private static let poll: JSONValue = [
            "title": "Who wins?", "media_url": "https://cdn.example.com/a.jpg",
            "poll": [
                "title": "The derby",
                "questions": [
                    [
                        "id": "who", "title": "Who wins?", "select": "one",
                        "choices": [
                            ["id": "real", "title": "Real"], ["id": "atleti", "title": "Atleti", "default": true],
                        ],
                    ]
                ],
            ],
        ]
    }
}
