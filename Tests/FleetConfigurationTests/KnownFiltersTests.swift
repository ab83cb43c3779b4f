import Campaigns
import Delivery
import Operations
import Testing

@testable import Fleet
@testable import Store

/// The filters that a planner reads once for all ranges of an audience.
@Suite struct KnownFiltersTests {
    private let folder: ScratchFolder
    private let ledger: Ledger

    init() throws {
        folder = try ScratchFolder()
        ledger = try Ledger.open(path: folder.path + "/ledger.db", create: true)
    }

    private func range(_ number: Int, of campaign: UInt32, asOf: Int64, excluding list: UInt32? = 7) -> FrozenAudience {
        var audience = FrozenAudience(
            campaign: campaign,
            app: "news",
            createdAt: Timestamp(milliseconds: 0),
            job: [],
            provider: .apns,
            pushType: .alert,
            carriesVariables: false,
            source: nil,
            excluded: list,
            list: 1,
            position: 0,
            last: 0,
            chunks: 0,
            devices: 0,
            withoutToken: 0,
            asOf: Timestamp(milliseconds: asOf)
        )
        let sample = AudienceSample(perMillion: 0, errorPerMillion: 0)
        audience.flow = FrozenAudience.Flow(sample: sample, skipsDenied: true, range: number, ranges: 4)
        return audience
    }

    @Test func `it is read once for all ranges, anew for another instant or list, and forgotten with its campaign`()
        async throws
    {
        var (known, reads) = (KnownFilters(), 0)
        func read(_ audience: FrozenAudience) async throws -> Duration {
            let filter = try await known.filter(of: audience) {
                reads += 1
                let exclusion = try await Exclusion.read(
                    .users(["ana"]),
                    app: "news",
                    list: nil,
                    now: audience.asOf,
                    from: ledger
                )
                return AudienceFilter(exclusion: exclusion, exclusionTime: .seconds(1))
            }
            return filter.exclusionTime
        }
        var times: [Duration] = []
        for number in 0..<3 { times.append(try await read(range(number, of: 1, asOf: 5))) }
        #expect(reads == 1 && times == [.seconds(1), .zero, .zero])
        _ = try await read(range(0, of: 2, asOf: 5))
        #expect(reads == 2)
        _ = try await read(range(0, of: 1, asOf: 6))
        _ = try await read(range(0, of: 1, asOf: 6, excluding: nil))
        #expect(reads == 4)
        known.forgetOthers(than: [2])
        _ = try await read(range(1, of: 2, asOf: 5))
        #expect(reads == 4)
        _ = try await read(range(3, of: 1, asOf: 6, excluding: nil))
        #expect(reads == 5)
        await ledger.close()
    }
}
