import Campaigns
import Delivery
import Servers
import Store
import Testing

/// The durations of the control plane's longest transactions on the largest cases.
///
/// `FANFARE_FULL=1` prints them for Security.md. They are for people, so no test here fails by the clock.
@Suite(.fewLedgersAtOnce, .serialized, .enabled(if: FullSuite.isOn, "FANFARE_FULL=1 runs it"))
struct LongestBodyTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private static let providers: [ProviderName] = ["apns", "fcm", "webpush"].map { ProviderName(rawValue: $0) }

    /// Returns chunks in so many groups of one provider and time zone each.
    private static func chunks(_ count: Int, zones: Int, devices: Int) -> [ListChunk] {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        for number in 0..<count {
            let group = ListChunk.Group(
                provider: providers[number / zones % 3],
                environment: nil,
                locale: nil,
                timeZone: "zone-\(number % zones)"
            )
            for device in 0..<devices {
                let closed = Sample.token(number * devices + device).withUnsafeBytes {
                    builder.add(group, token: $0, id: nil, variables: [:])
                }
                if let closed { chunks.append(closed) }
            }
            if number % 200 == 199 { chunks += builder.finish() }
        }
        return chunks + builder.finish()
    }

    private func print(_ database: TestDatabase, _ what: String, _ writer: Ledger) {
        let longest = writer.metrics.longest.nanoseconds.sorted { $0.key < $1.key }
        let text = longest.map { "\($0.key) \(Double($0.value / 10_000) / 100) ms" }.joined(separator: ", ")
        Swift.print("\(database), \(what): \(text)")
    }

    /// Writes a list by 400 time zones and three providers.
    private func list(_ chunks: [ListChunk], _ writer: Ledger) async throws -> UInt32 {
        let list = try await writer.write(caller: "beginList") {
            try $0.beginList(app: "news", name: "fans", now: .start)
        }
        for start in stride(from: 0, to: chunks.count, by: 100) {
            let piece = Array(chunks[start..<min(start + 100, chunks.count)])
            try await writer.write(caller: "appendChunks") { try $0.appendChunks(piece, to: list, now: .start) }
        }
        _ = try await writer.write(.synced, caller: "finishList") {
            try $0.finishList(list, version: "v1", duplicates: 0, now: .start)
        }
        return list
    }

    @Test(arguments: TestDatabase.all, [(2_400, 400, 417), (20_000, 400, 20)])
    func `a list of a million devices in 400 time zones, and what is done of its campaign`(
        _ database: TestDatabase,
        _ size: (chunks: Int, zones: Int, devices: Int)
    ) async throws {
        try scratch.open(on: database)
        let writer = try scratch.open(create: false)
        let chunks = Self.chunks(size.chunks, zones: size.zones, devices: size.devices)
        let list = try await list(chunks, writer)
        var new = Sample.campaign()
        new.audience = .list(list)
        new.contents = Self.providers.map { Sample.content($0) }
        new.parts = (0..<size.zones).map {
            let times = PartTimes(releaseAt: .start, expiresAt: .start + 3600)
            return NewPart(timeZone: "zone-\($0)", times: times)
        }
        let job = new
        let result = try await writer.write(.synced, caller: "accept") { try $0.accept(job, now: .start) }
        guard case .accepted(let number, _) = result else { throw LedgerError.failed("not accepted") }
        var shards = 0
        for provider in Self.providers {
            while true {
                let more = try await ledger.planned(number, provider, max: 100)
                if more.isEmpty { break }
                shards += more.count
                // The guard needs some answers first.
                for shard in more.prefix(shards == more.count ? 20 : 0) { try await ledger.ran(shard) }
            }
        }
        _ = try await writer.write(caller: "leaseCampaigns") {
            try $0.leaseCampaigns(worker: 1, apps: ["news"], now: .start + 1)
        }
        _ = try await writer.write(caller: "status") { try $0.reader.status(campaign: number, now: .start + 1) }
        _ = try await writer.write(.synced, caller: "setEnd") {
            try $0.setEnd(campaign: number, .at(.start + 5000), storage: .seconds(86_400), now: .start + 1)
        }
        _ = try await writer.write(.synced, caller: "pause") { try $0.pause(campaign: number, now: .start + 1) }
        _ = try await writer.write(.synced, caller: "resume") { try $0.resume(campaign: number, now: .start + 1) }
        _ = try await writer.write(.synced, caller: "cancel") { try $0.cancel(campaign: number, now: .start + 1) }
        while try await writer.write(.synced, caller: "endCampaign", { try $0.endCampaign(number, now: .start + 1) }) {}
        let status = try await ledger.status(number)
        #expect(status.law == .holds)
        print(database, "\(size.chunks) chunks of \(size.devices), \(shards) shards", writer)
        await writer.close()
    }

    @Test(arguments: TestDatabase.all)
    func `an import of 100,000 devices, twice, and what is forgotten of them`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let writer = try scratch.open(create: false)
        for round in 0..<2 {
            for start in stride(from: 0, to: 100_000, by: 500) {
                let numbers = start..<start + 500
                let registrations = numbers.map {
                    Sample.registration(
                        "installation-\($0)",
                        user: "user-\($0 % 30_000)",
                        tags: ["team-\($0 % 20)", "round-\(round)"],
                        locale: "es-ES"
                    )
                }
                let tokens = numbers.map { Sample.token($0) }
                var done = 0
                while done < 500 {
                    let first = done
                    done += try await writer.write(caller: round == 0 ? "register" : "registerAgain") { transaction in
                        var piece = Piece()
                        return try transaction.register(
                            Array(registrations[first...]),
                            tokens: Array(tokens[first...]),
                            app: "news",
                            &piece,
                            now: .start + round
                        ).count
                    }
                }
            }
        }
        let chunks = Self.chunks(200, zones: 1, devices: 500)
        let list = try await list(chunks, writer)
        let tokens = Set((0..<500).map { Sample.token($0 * 200) })
        var next: (list: UInt32, ordinal: Int64)? = (0, -1)
        while let after = next {
            let page = try await ledger.read { try $0.entries(of: tokens, app: "news", after: after) }
            _ = try await writer.write(.synced, caller: "leaveOut") { try $0.leaveOut(page.found) }
            next = page.next
        }
        _ = try await writer.write(.synced, caller: "forget") { transaction in
            for number in 0..<100 {
                _ = try transaction.forget(app: "news", installation: "installation-\(number)", now: .start + 3)
            }
        }
        #expect(list > 0)
        print(database, "100,000 devices", writer)
        await writer.close()
    }
}
