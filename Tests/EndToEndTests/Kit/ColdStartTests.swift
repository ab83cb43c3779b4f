import Campaigns
import FanfareKit
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// An app that is not running when its push arrives.
    @Suite("Cold start") @MainActor
    struct ColdStart {
        @Test func `a tap that starts the app brings the message that waits for it, and both are counted`() async throws
        {
            try await PrivateFleet.with { fleet in
                let key = try await fleet.openEdge()
                let server = "http://127.0.0.1:\(try await fleet.startServer())"
                let token = TestDevices.tokens(1)[0]
                let phone = KitPhone(token: token, folder: fleet.folder + "/phone")
                try phone.start(server, key: key)
                try await eventually("it is registered") { phone.isRegistered }
                try await phone.kill()
                _ = try await fleet.startWorker()
                var thanks = TestJob("thanks", [token])
                (thanks.kind, thanks.content) = ("in_app", ["in_app": ["type": "modal", "header": "Thanks"]])
                thanks.delivery = ["in_app": ["triggers": [["on": "push_click"]]]]
                try await fleet.publish(thanks)
                try await eventually("it is live") { try await fleet.status("thanks")?.state == "sending" }
                try await fleet.publish(TestJob("goal", [token]))
                #expect(try await fleet.completed("goal").counts.accepted == 1)

                let payload = try #require(fleet.payloads(of: "goal")[token])
                try phone.start(server, key: key)
                // As the system does: the tap is delivered before the app is in front.
                try await phone.tapped(payload)
                try phone.kit().didBecomeActive()
                try await eventually("the message is shown") { !phone.shown.isEmpty }
                #expect(phone.shown.map(\.message.header) == ["Thanks"])
                phone.shown[0].close(.dismissed)
                var (opened, shown) = (ExpectedFunnel(), ExpectedFunnel())
                opened.add("system", "opened")
                shown.add("in_app", "displayed")
                shown.add("in_app", "exited")
                for (id, funnel) in [("goal", opened), ("thanks", shown)] {
                    try await eventually("the funnel of \(id)") {
                        funnel.differences(from: try await fleet.report(id)).isEmpty
                    }
                }
                try await phone.kill()
            }
        }
    }
}
