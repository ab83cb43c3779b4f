import Campaigns
import Delivery
import Servers
import Simulator
import Store
import Synchronization
import Testing

/// The ledger's state, compared with the requests that the simulator saw.
extension PrivateFleet {
    /// Returns a campaign's status; nil when the ledger does not know it.
    func status(_ id: String, app: String = app) async throws -> CampaignStatus? {
        try await ledger.read { try $0.status(app: app, id: id, now: TestClock.now()) }
    }

    /// Waits until a campaign's last device has an outcome; the law must hold at every poll.
    func completed(
        _ id: String,
        app: String = app,
        within limit: Duration = .seconds(90)
    ) async throws -> CampaignStatus {
        var last: CampaignStatus?
        do {
            return try await eventually("\(id) is over", within: limit) {
                last = try await status(id, app: app)
                guard let status = last else { return nil }
                try #require(status.law == .holds)
                return status.completedAt == nil ? nil : status
            }
        } catch let error as NotInTime {
            throw NotInTime("\(error.description); it stands at \(String(describing: last))")
        }
    }

    /// Waits until the simulator has seen so many requests.
    func requests(reach count: Int, within limit: Duration = .seconds(60)) async throws {
        try await eventually("\(count) requests", within: limit) { simulator.statistics.requests >= UInt64(count) }
    }

    /// Returns a campaign's number.
    func number(_ id: String, app: String = app) async throws -> UInt32 {
        try #require(try await ledger.read { try $0.campaignNumber(app: app, id: id) })
    }

    /// Returns the rows of the first shard of a campaign: the shard, then its retry shards.
    func rows(_ id: String, ordinal: UInt32 = 0) async throws -> [ShardRecord] {
        let campaign = try await number(id)
        return try await ledger.read { reader in
            try (0..<20).compactMap { child in
                try reader.shard(ShardKey(campaign: campaign, part: 0, ordinal: ordinal, child: child))
            }
        }
    }

    /// Returns the number of devices that were on the ladder, counting each time.
    func retryDevices(_ id: String) async throws -> Int {
        let (campaign, chunks) = (try await number(id), try await status(id)?.audience ?? 0)
        return try await ledger.read { reader in
            var count = 0
            for ordinal in 0..<UInt32((chunks + 499) / 500) {
                var child: UInt32 = 1
                while let row = try reader.shard(ShardKey(campaign: campaign, part: 0, ordinal: ordinal, child: child))
                {
                    count += row.count
                    child += 1
                }
            }
            return count
        }
    }

    /// Returns all devices of a campaign with the requests that the ledger and the simulator count.
    func devices(_ id: String, app: String = app) async throws -> [CountedDevice] {
        let devices = Mutex<[CountedDevice]>([])
        let simulator = simulator
        try await ledger.devices(campaign: try await number(id, app: app)) { device in
            let token = TestDevices.hex(device.token)
            let seen = simulator.counts(ofToken: token)
            let counted = CountedDevice(
                token: token,
                outcome: device.outcome,
                attempts: device.requests,
                requests: seen.requests,
                accepted: seen.accepted
            )
            devices.withLock { $0.append(counted) }
        }
        return devices.withLock { $0 }
    }

    /// Puts a list into the ledger.
    func putList(_ name: String, _ tokens: [String]) async throws {
        var builder = ListBuilder()
        var chunks = tokens.compactMap { builder.add(Device(token: $0), token: TestDevices.bytes($0)) }
        chunks += builder.finish()
        let list = try await ledger.write { try $0.beginList(app: Self.app, name: name, now: TestClock.now()) }
        // In pieces, as an upload does it: the workers need the ledger meanwhile.
        for start in stride(from: 0, to: chunks.count, by: 100) {
            let piece = Array(chunks[start..<min(start + 100, chunks.count)])
            try await ledger.write { try $0.appendChunks(piece, to: list, now: TestClock.now()) }
        }
        try await ledger.write(.synced) {
            _ = try $0.finishList(list, version: "v1", duplicates: 0, now: TestClock.now())
        }
    }

    /// Expects one request for each device, as both sides count; else tells what else they know of the others.
    ///
    /// The push service is in this process. Where that stands still for ten seconds, answers stay away, and their
    /// devices are sent to again: no more of them than the status says.
    func expectOnce(
        _ status: CampaignStatus,
        _ audience: Int,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let (requests, differing) = (simulator.statistics.requests, try await devices(status.id).differing)
        let isOnce = requests == UInt64(audience) && differing.isEmpty
        if isOnce || (status.unknownResent > 0 && differing.count <= status.unknownResent) { return }
        Issue.record(
            """
            \(requests) requests for \(audience) devices, \(status.unknownResent) sent again without an answer; \
            \(differing.count) devices differ: \(differing.prefix(3))
            \(logs(with: ["warning", "error", "notice"]))
            """,
            sourceLocation: location
        )
    }

    /// Returns the messages that wait for a person.
    func parked(limit: Int = 1000) async throws -> [ParkedMessage] {
        try await ledger.read { try $0.parked(limit: limit) }
    }
}

/// One device as both sides count it.
struct CountedDevice: Sendable, CustomStringConvertible {
    let token: String
    let outcome: Outcome?
    /// The ledger's count.
    let attempts: Int
    /// The simulator's count.
    let requests: Int
    /// Pushes that the simulator accepted.
    let accepted: Int

    var description: String {
        "\(token): \(outcome?.name ?? "pending"), \(attempts) attempts, \(requests) requests, \(accepted) accepted"
    }
}

extension [CountedDevice] {
    /// Devices whose two counts differ, or that were not accepted exactly once.
    var differing: [CountedDevice] {
        filter { $0.attempts != $0.requests || ($0.outcome == .accepted) != ($0.accepted == 1) }
    }

    /// Unnecessary requests by the simulator's count: those that the ledger does not know, and those to a device that
    /// already had the push, whatever the ledger says of them.
    var repeats: Int { reduce(0) { $0 + Swift.max($1.requests - $1.attempts, $1.accepted - 1, 0) } }

    /// Requests that the ledger has and the simulator never saw.
    var unseen: Int { reduce(0) { $0 + Swift.max($1.attempts - $1.requests, 0) } }
}
