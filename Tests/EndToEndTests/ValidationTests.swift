import Campaigns
import Foundation
import Servers
import Simulator
import Testing

extension EndToEnd {
    /// `campaign send --dry-run --validate-with-provider`: the provider validates the push, and no device receives it.
    @Suite("Validation with the provider")
    struct Validation {
        private static let ask = ["campaign", "send", "job.json", "--dry-run", "--validate-with-provider"]

        private static func write(_ job: TestJob, _ fleet: PrivateFleet) throws {
            try Data(job.body).write(to: URL(fileURLWithPath: fleet.folder + "/job.json"))
        }

        private static func run(_ arguments: [String], _ fleet: PrivateFleet) async throws -> FanfareProcess.Outcome {
            try await FanfareProcess.run(arguments + ["--config", "fanfare.yaml"], folder: fleet.folder)
        }

        @Test func `Google says that it would take a push, and nothing is delivered`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                let google = TestDevices.fcm(2)
                let personal = JSONValue.object(["title": "Hi {{ first | default: \"fan\" }}", "body": "Kick-off"])
                var job = TestJob("derby", TestDevices.tokens(2), fcm: google)
                job.content = personal
                try Self.write(job, fleet)
                // Without the flag nobody is asked anything.
                let alone = try await Self.run(Array(Self.ask.dropLast()), fleet)
                #expect(alone.exit == 0 && !alone.output.contains("fcm"), "\(alone.output)\(alone.errors)")
                #expect(fleet.simulator.statistics(of: .fcm)?.own["token_fetches"] == 0)

                let told = try await Self.run(Self.ask, fleet)
                #expect(told.exit == 0, "\(told.errors)")
                #expect(told.output.contains("fcm would take it for cMix1000…; nothing was delivered"))
                let json = try await Self.run(Self.ask + ["--json"], fleet)
                let document = try #require(JSONReader.read(Array(json.output.utf8)).value)
                #expect(document["verdict"] == "valid")
                #expect(document["validated_by"]?.array?.map { $0["provider"] } == ["fcm"])

                let side = try #require(fleet.simulator.statistics(of: .fcm))
                #expect(side.own["token_fetches"] == 2, "\(side.own)")
                #expect(side.requests == 0 && side.accepted == 0 && side.distinctTokens == 0)
                #expect(fleet.simulator.statistics(of: .apns)?.requests == 0)
            }
        }

        @Test(arguments: [
            ("cGone12345:APA91b" + String(repeating: "x", count: 120), "UNREGISTERED (404)"),
            ("no-token-of-Google", "INVALID_ARGUMENT message.token (400)"),
        ])
        func `a token that Google does not take is told, and nothing is delivered`(
            token: String,
            reason: String
        ) async throws {
            try await PrivateFleet.with(faults: ["rules": "cGone=dead"], fcm: FCMAccess()) { fleet in
                try Self.write(TestJob("derby", list: "fans"), fleet)
                // The devices of a list are not looked up.
                let blind = try await Self.run(Self.ask, fleet)
                #expect(blind.exit == 64 && blind.errors.contains("--validate-from FILE"), "\(blind.errors)")
                try Data((token + "\n").utf8).write(to: URL(fileURLWithPath: fleet.folder + "/token.txt"))
                let told = try await Self.run(Self.ask + ["--validate-from", "token.txt"], fleet)
                #expect(told.exit == 1 && told.output.isEmpty, "\(told.output)")
                #expect(told.errors.contains("fcm would not take the push (derby)"), "\(told.errors)")
                #expect(told.errors.contains(reason) && !told.errors.contains(token), "\(told.errors)")
                let side = try #require(fleet.simulator.statistics(of: .fcm))
                #expect(side.requests == 0 && side.accepted == 0)
            }
        }

        @Test func `content that only Google knows to be wrong refuses the job`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                var job = TestJob("derby", [], fcm: TestDevices.fcm(1))
                let color = JSONValue.object(["android": .object(["notification": .object(["color": "red"])])])
                job.content = .object(["title": "Kick-off!", "fcm": color])
                try Self.write(job, fleet)
                #expect(try await Self.run(Array(Self.ask.dropLast()), fleet).exit == 0)
                let told = try await Self.run(Self.ask + ["--json"], fleet)
                #expect(told.exit == 65)
                let problem = try #require(JSONReader.read(Array(told.errors.utf8)).value)
                #expect(problem["errors"]?.array?.compactMap { $0["code"]?.string } == ["refused_by_provider"])
                #expect(problem["errors"]?.array?.compactMap { $0["pointer"]?.string } == ["/content"])
                let detail = problem["errors"]?.array?.first?["detail"]?.string
                #expect(detail?.contains("INVALID_ARGUMENT message.android.notification.color (400)") == true)
            }
        }
    }
}
