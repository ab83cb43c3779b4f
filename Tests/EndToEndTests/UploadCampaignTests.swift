import Campaigns
import Delivery
import Foundation
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns to a list whose upload is under way when they are sent.
    @Suite("Campaigns that wait for an upload")
    struct UploadCampaigns {
        private static func job(_ id: String, upload: String) -> TestJob {
            var job = TestJob(id, [])
            job.audience = .object(["list": "fans", "upload": .string(upload)])
            return job
        }

        private static func csv(_ tokens: some Sequence<String>) -> [UInt8] {
            Array((["token"] + tokens).joined(separator: "\n").utf8)
        }

        /// Begins an upload whose client is cut after some devices.
        private static func cut(
            _ upload: String,
            after tokens: some Sequence<String>,
            _ fleet: PrivateFleet
        ) async throws {
            let stream = try AudienceStream(.csv, app: PrivateFleet.app, list: "fans", id: upload, to: fleet.ledger)
            _ = try await stream.begin()
            try await stream.take(csv(tokens))
            try await stream.abandon()
        }

        @Test func `a job waits for its upload, and sends to that version alone`() async throws {
            try await PrivateFleet.with { fleet in
                let tokens = TestDevices.tokens(60_000)
                // An older version, and a newer one that is complete before: neither is what the job names.
                try await fleet.putList("fans", TestDevices.tokens(10, prefix: "aa"))
                try await Self.cut("up-1", after: tokens.prefix(55_000), fleet)
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("derby", upload: "up-1"))
                try await eventually("it says what it waits for") {
                    try await fleet.status("derby")?.stateReason?.contains("the upload up-1") == true
                }
                let waiting = try #require(try await fleet.status("derby"))
                #expect(waiting.state == "planning" && waiting.audience == 0)
                #expect(try await Runbook(fleet: fleet).check("upload", id: "derby").contains("the upload up-1"))
                let begun = try await fleet.ledger.read { try $0.upload("up-1", app: PrivateFleet.app) }
                #expect(begun?.mark.chunks == 100)

                let file = fleet.folder + "/fans.csv"
                try Data(Self.csv(tokens)).write(to: URL(fileURLWithPath: file))
                let arguments = ["list", "put", "fans", file, "--app", PrivateFleet.app, "--upload", "up-1"]
                let put = try await fleet.run(arguments)
                #expect(put.exit == 0 && put.errors.contains("the ledger has 100 chunks"), "\(put.errors)")
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.audience == 60_000 && status.counts.accepted == 60_000)
                #expect(fleet.simulator.statistics.requests == 60_000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                // Who names the upload afterwards gets the same version at once.
                try await fleet.publish(Self.job("late", upload: "up-1"))
                #expect(try await fleet.completed("late", within: .seconds(120)).counts.accepted == 60_000)
            }
        }

        @Test func `a job fails when its upload is abandoned, and is refused when there never was one`() async throws {
            try await PrivateFleet.with { fleet in
                try await fleet.putList("fans", TestDevices.tokens(10))
                try await Self.cut("up-1", after: TestDevices.tokens(600, prefix: "aa"), fleet)
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("derby", upload: "up-1"))
                try await eventually("it waits") { try await fleet.status("derby")?.state == "planning" }
                try await fleet.publish(Self.job("lost", upload: "up-2"))
                try await eventually("it is refused") {
                    try await fleet.ledger.read { try $0.refusal(app: PrivateFleet.app, id: "lost") } != nil
                }
                let isAbandoned = try await fleet.ledger.write(.synced) {
                    try $0.abandonUpload("up-1", app: PrivateFleet.app, now: TestClock.now())
                }
                #expect(isAbandoned)
                let failed = try await fleet.completed("derby")
                #expect(failed.state == "failed" && failed.stateReason?.contains("up-1 was abandoned") == true)
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }
    }
}
