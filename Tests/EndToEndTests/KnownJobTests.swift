import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Jobs that are sent again when they could no longer be accepted.
    @Suite("Known jobs")
    struct KnownJobs {
        /// Returns an absolute end, independent of when the job arrives.
        private static func end(in seconds: Int64) -> JSONValue {
            .string(TestClock.now().advanced(by: .seconds(seconds)).rfc3339)
        }

        private func ended(_ status: CampaignStatus) async throws {
            try await eventually("its end has passed") { TestClock.now() > status.expiresAt }
        }

        @Test func `C3: a job that comes again after its end is answered with what became of it`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                // An absolute end: a check of the job before its key would refuse it then.
                let end = Self.end(in: 8)
                let job = TestJob("derby", TestDevices.tokens(3)).delivered(["expires_at": end])
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 3)
                try await ended(status)
                try await fleet.publish(job)
                let events = try await listener.events("campaign.accepted", of: "derby", count: 2)
                let data = try #require(events.last?.json["data"])
                #expect(data["repeat"] == true && data["state"]?.string == "completed")
                #expect(data["accepted_at"]?.string == status.acceptedAt.rfc3339)
                #expect(try await fleet.ledger.read { try $0.parked(limit: 10) }.isEmpty)
                // Another job with its id gets that answer, whatever else is wrong with it.
                try await fleet.publish(TestJob("derby", TestDevices.tokens(4)).delivered(["expires_at": end]))
                let refusal = try await listener.events("campaign.refused", of: "derby")
                #expect(refusal.first?.json["data"]?["errors"]?.array?.first?["code"]?.string == "campaign_conflict")
                await listener.close()
            }
        }

        @Test(.enabled(if: FullSuite.isOn, "it takes a minute"))
        func `C12: a job that the ledger never takes is parked with the error, and those behind it go on`() async throws
        {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(postgreSQL: server) { fleet in
                let database = try #require(fleet.database).name
                _ = try await fleet.startWorker()
                try server.execute(
                    """
                    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'never'; END $$;
                    CREATE TRIGGER poison BEFORE INSERT ON fanfare.campaigns FOR EACH ROW WHEN (NEW.id = 'poison')
                    EXECUTE FUNCTION refuse()
                    """,
                    database: database
                )
                try await fleet.publish(TestJob("poison", TestDevices.tokens(3)))
                try await fleet.publish(TestJob("derby", TestDevices.tokens(3)))
                #expect(try await fleet.completed("derby", within: .seconds(120)).counts.accepted == 3)
                try await eventually("it is parked") { try await !fleet.parked().isEmpty }
                let parked = try #require(try await fleet.parked().first)
                #expect(parked.reason == "LedgerError" && parked.errors.contains("never"))
                #expect(try await fleet.status("poison") == nil)
            }
        }

        @Test func `an urgent job whose worker died is ended when it comes again after its end`() async throws {
            try await PrivateFleet.with(faults: ["rules": "a=stall"]) { fleet in
                let first = try await fleet.startWorker()
                var job = TestJob("alarm", TestDevices.tokens(200))
                    .delivered(["urgency": "urgent", "expires_at": Self.end(in: 12)])
                job.isUrgent = true
                try await fleet.publish(job)
                try await eventually("no answer comes") { fleet.simulator.statistics.stalled > 0 }
                first.kill()
                let status = try #require(try await fleet.status("alarm"))
                try await ended(status)
                _ = try await fleet.startWorker()
                let over = try await fleet.completed("alarm", within: .seconds(60))
                #expect(over.counts.expired == 200)
                #expect(over.maybeSent >= Int(fleet.simulator.statistics.requests))
                #expect(try await fleet.ledger.read { try $0.parked(limit: 10) }.isEmpty)
            }
        }
    }
}
