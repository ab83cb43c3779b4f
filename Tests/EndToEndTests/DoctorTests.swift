import Campaigns
import Foundation
import Servers
import Simulator
import Testing

extension EndToEnd {
    /// An operator's first checks before anyone is called.
    @Suite("Doctor")
    struct Doctor {
        /// Returns the findings by subject: the verdict, and if there is a fix.
        private func findings(_ outcome: FanfareProcess.Outcome) throws -> [String: JSONValue] {
            let document = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
            let list = try #require(document["findings"]?.array)
            #expect(document["well"] == .bool(outcome.exit == 0))
            for finding in list {
                let isFixable = finding["verdict"]?.string == "wrong" || finding["verdict"]?.string == "warning"
                #expect((finding["mend"]?.string != nil) == isFixable, "\(finding)")
            }
            return Dictionary(list.map { ($0["check"]?.string ?? "", $0) }) { first, _ in first }
        }

        @Test func `a fleet at work is well, keys and providers too`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                _ = try await fleet.startWorker()
                let outcome = try await fleet.run("doctor", "--json")
                #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
                let found = try findings(outcome)
                let checks = [
                    "configuration", "time zones", "broker", "broker version", "broker clock", "topology", "store",
                    "store clock", "workers", "parked", "apps", "news apns reach", "news apns credential",
                    "news fcm reach", "news fcm credential",
                ]
                for check in checks { #expect(found[check]?["verdict"]?.string == "well", "\(check)") }
                for check in ["broker user"] { #expect(found[check]?["verdict"]?.string == "warning", "\(check)") }
                // Nothing was sent to anybody.
                #expect(fleet.simulator.statistics.accepted == 0)
            }
        }

        @Test func `a clock that is wrong, an account that Google refuses and a fleet without workers are named`()
            async throws
        {
            let faults = ["clock_offset": "7200", "oauth_error": "invalid_grant"]
            try await PrivateFleet.with(faults: faults, fcm: FCMAccess()) { fleet in
                let outcome = try await fleet.run("doctor", "--json")
                #expect(outcome.exit == 1)
                let found = try findings(outcome)
                #expect(found["workers"]?["verdict"]?.string == "wrong")
                #expect(found["news apns clock"]?["detail"]?.string?.contains("120 min behind") == true)
                #expect(found["news fcm credential"]?["verdict"]?.string == "wrong")
                // In the text for people each fix follows its finding.
                let text = try await fleet.run("doctor", "--offline").output
                #expect(text.contains("✗  workers") && text.contains("→ fanfare worker"))
            }
        }
    }
}
