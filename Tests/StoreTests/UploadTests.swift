import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct UploadTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private static let start = mark(0)

    private static func mark(_ chunks: UInt32) -> UploadMark {
        UploadMark(chunks: chunks, digest: [UInt8](repeating: UInt8(chunks), count: 32))
    }

    private func begin(_ id: String = "up-1", now: Timestamp = .start) async throws -> UploadRecord {
        try await ledger.write {
            try $0.beginUpload(id, app: "news", name: "fans", start: Self.start.digest, now: now)
        }
    }

    private func append(
        _ chunks: [ListChunk],
        to upload: UploadRecord,
        from: UInt32,
        to: UInt32
    ) async throws -> UploadStep {
        try await ledger.write {
            try $0.append(
                chunks,
                to: upload,
                app: "news",
                from: Self.mark(from),
                to: Self.mark(to),
                now: .start
            )
        }
    }

    private func finish(_ upload: UploadRecord, at chunks: UInt32, version: String) async throws -> ListRecord? {
        try await ledger.write(.synced) {
            try $0.finishUpload(
                upload,
                app: "news",
                at: Self.mark(chunks),
                version: version,
                duplicates: 0,
                now: .start
            )
        }
    }

    /// Accepts a campaign that waits for an upload.
    private func waiting(for upload: String, id: String) async throws -> UInt32 {
        var new = Sample.campaign([], facts: Sample.facts(id: id))
        new.audience = .registry
        new.freezing = NewCampaign.Freezing(excludedList: nil, upload: upload)
        return try await ledger.accepted(new)
    }

    private func standing(_ id: String = "up-1") async throws -> UploadStanding? {
        try await ledger.read { try $0.upload(id, app: "news") }?.standing
    }

    @Test(arguments: TestDatabase.all) func `an upload begun again is the same, at what the ledger has`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        #expect(upload.mark == Self.start && upload.standing == .underWay)
        #expect(try await append(Sample.chunks([3, 2]), to: upload, from: 0, to: 2) == .done)
        let again = try await begin()
        #expect(again.list == upload.list && again.mark == Self.mark(2))
        #expect(try await ledger.read { try $0.lists(app: "news") }.isEmpty)
        let record = try #require(try await finish(upload, at: 2, version: "v1"))
        #expect(record.devices == 5)
        #expect(try await standing() == .complete)
    }

    @Test(arguments: TestDatabase.all) func `two that go on with one upload never mix their chunks`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        #expect(try await append(Sample.chunks([3]), to: upload, from: 0, to: 1) == .done)
        #expect(try await append(Sample.chunks([4]), to: upload, from: 0, to: 1) == .taken)
        #expect(try await finish(upload, at: 0, version: "v0") == nil)
        let record = try #require(try await finish(upload, at: 1, version: "v1"))
        #expect(record.devices == 3)
        #expect(try await append(Sample.chunks([1]), to: upload, from: 1, to: 2) == .taken)
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign gets the list of its upload once that is complete, and no other version`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        let campaign = try await waiting(for: "up-1", id: "first")
        // A version that is complete meanwhile is not the one that it waits for.
        let other = try await begin("up-2")
        #expect(try await append(Sample.chunks([7]), to: other, from: 0, to: 1) == .done)
        _ = try await finish(other, at: 1, version: "v2")
        #expect(try await ledger.read { try $0.awaitedUpload(of: campaign) } == "up-1")
        let status = try await ledger.read { try $0.status(campaign: campaign, now: .start) }
        #expect(status?.isPlanning == true && status?.audience == 0)

        #expect(try await append(Sample.chunks([3, 2]), to: upload, from: 0, to: 2) == .done)
        let list = try #require(try await finish(upload, at: 2, version: "v1"))
        #expect(try await ledger.read { try $0.awaitedUpload(of: campaign) } == nil)
        let worker: Int64 = 7
        let lease = try #require(
            try await ledger.write { try $0.leaseCampaigns(worker: worker, apps: ["news"], now: .start) }.first
        )
        let frozen = try await ledger.write(.synced) { transaction in
            let audience = try #require(try transaction.openFrozen(lease.token, now: .start))
            #expect(audience.source == list.number)
            return try transaction.adoptSource(of: audience, by: lease.token, now: .start)
        }
        #expect(frozen == .frozen(audience: 5))
        let planned = try await ledger.read { try $0.status(campaign: campaign, now: .start) }
        #expect(planned?.audience == 5 && planned?.isPlanning == false)
    }

    @Test(arguments: TestDatabase.all) func `a campaign that names a complete upload gets its list at once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        #expect(try await append(Sample.chunks([3]), to: upload, from: 0, to: 1) == .done)
        _ = try await finish(upload, at: 1, version: "v1")
        let campaign = try await waiting(for: "up-1", id: "late")
        #expect(try await ledger.read { try $0.awaitedUpload(of: campaign) } == nil)
        #expect(try scratch.execute("SELECT count(*) FROM frozen_audiences") == ["1"])
    }

    @Test(arguments: TestDatabase.all) func `a campaign fails when its upload is abandoned, by hand or after an hour`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await begin("left")
        _ = try await begin("given-up")
        let (left, givenUp) = (
            try await waiting(for: "left", id: "a"), try await waiting(for: "given-up", id: "b")
        )
        func failure(_ campaign: UInt32) async throws -> Bool {
            try await ledger.read { try $0.status(campaign: campaign, now: .start) }?.stage == .failed
        }
        #expect(try await ledger.write { try $0.abandonUpload("given-up", app: "news", now: .start) })
        #expect(try await failure(givenUp))
        #expect(try await !failure(left))
        while try await ledger.write(.normal, { try $0.sweepLists(now: .start + 3601) }) {}
        #expect(try await failure(left))
        #expect(try await standing("left") == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `an upload whose list was removed in part begins anew, by whichever version it was removed`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (swept, holed) = (try await begin("swept"), try await begin("holed"))
        for upload in [swept, holed] {
            #expect(try await append(Sample.chunks([3, 2]), to: upload, from: 0, to: 2) == .done)
        }
        try scratch.execute("DELETE FROM chunks WHERE list = \(holed.list) AND ordinal = 0")
        try scratch.execute("UPDATE lists SET touched_at = touched_at + 3600000 WHERE number = \(holed.list)")
        #expect(try await ledger.write { try $0.sweepLists(now: .start + 3601, chunksMax: 1) })
        for old in [swept, holed] {
            let new = try await begin(old.id, now: .start + 3601)
            #expect(new.list != old.list && new.mark.chunks == 0 && new.standing == .underWay)
            #expect(try await append(Sample.chunks([3, 2]), to: old, from: 2, to: 4) == .taken)
            #expect(try await append(Sample.chunks([3, 2]), to: new, from: 0, to: 2) == .done)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `an upload whose chunks are being removed is gone, and its campaign fails with the first of them`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        #expect(try await append(Sample.chunks([3, 2, 4]), to: upload, from: 0, to: 3) == .done)
        let campaign = try await waiting(for: "up-1", id: "first")
        #expect(try await ledger.write { try $0.sweepLists(now: .start + 3601, chunksMax: 1) })
        #expect(try scratch.execute("SELECT count(*) FROM chunks") == ["2"])
        let status = try await ledger.read { try $0.status(campaign: campaign, now: .start) }
        #expect(status?.stage == .failed)
        // Who comes back now neither adds to what is left nor completes it.
        #expect(try await standing() == .gone)
        #expect(try await append(Sample.chunks([1]), to: upload, from: 3, to: 4) == .taken)
        #expect(try await finish(upload, at: 3, version: "v1") == nil)
        let again = try await begin(now: .start + 3602)
        #expect(again.list != upload.list && again.mark == Self.start)
    }

    @Test(arguments: TestDatabase.all)
    func `an upload that is begun again under the id of one that is gone is not what campaigns waited for`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        let (first, second, cancelled) = try await (
            waiting(for: "up-1", id: "first"), waiting(for: "up-1", id: "second"), waiting(for: "up-1", id: "third")
        )
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: cancelled, by: "test", now: .start) }
        // A worker of the version before removes a list without a word to the campaigns.
        _ = try scratch.execute("DELETE FROM lists WHERE number = \(upload.list)")
        let again = try await begin()
        #expect(again.list != upload.list)
        for campaign in [first, second] {
            #expect(try await ledger.read { try $0.awaitedUpload(of: campaign) } == nil)
            let status = try await ledger.read { try $0.status(campaign: campaign, now: .start) }
            #expect(status?.stage == .failed)
            #expect(status?.stateReason?.contains("up-1 was abandoned") == true)
        }
        #expect(try await ledger.read { try $0.status(campaign: cancelled, now: .start) }?.stage == .cancelled)
        #expect(try await append(Sample.chunks([3]), to: again, from: 0, to: 1) == .done)
        _ = try await finish(again, at: 1, version: "v1")
        #expect(try scratch.execute("SELECT count(*) FROM frozen_audiences") == ["0"])
    }

    @Test(arguments: TestDatabase.all) func `a campaign that is cancelled while it waits stays so`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let upload = try await begin()
        let campaign = try await waiting(for: "up-1", id: "first")
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: campaign, by: "test", now: .start) }
        #expect(try await ledger.read { try $0.awaitedUpload(of: campaign) } == nil)
        #expect(try await append(Sample.chunks([3]), to: upload, from: 0, to: 1) == .done)
        _ = try await finish(upload, at: 1, version: "v1")
        #expect(try scratch.execute("SELECT count(*) FROM frozen_audiences") == ["0"])
    }
}
