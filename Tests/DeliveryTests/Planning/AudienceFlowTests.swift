import Campaigns
import Delivery
import Testing

@Suite struct AudienceFlowTests {
    private func reason(
        _ audience: Audience = .everyone,
        registry: Int64 = 5_000_000,
        _ change: (inout Job) -> Void = { _ in }
    ) -> AudienceFlow.WholeReason? {
        var job = Job(id: "derby", app: "news", audience: audience, content: Content())
        change(&job)
        return AudienceFlow.wholeReason(of: job, registry: registry)
    }

    @Test func `a segment or everyone flows, with whatever is left out, under a rate, and at a later time`() throws {
        #expect(reason() == nil)
        #expect(reason(.segment(try Segment("tag:sport"))) == nil)
        #expect(reason { $0.exclude = .list(name: "unsubscribed", version: nil) } == nil)
        #expect(reason { ($0.delivery.perSecond, $0.delivery.sendAt) = (500, Fixtures.now) } == nil)
        #expect(reason { $0.delivery.frequencyCap = .ignore } == nil)
    }

    @Test func `what needs the whole audience first waits for it`() {
        #expect(reason { $0.atMost = 4_200_000 } == .atMost)
        #expect(reason { $0.delivery.hold = true } == .hold)
        #expect(reason { $0.delivery.localSendAt = LocalTime(seconds: 0) } == .timeZones)
        #expect(reason { $0.delivery.quietHours = QuietHours(from: 1320, to: 480) } == .timeZones)
        #expect(reason(.users(["ana"])) == .users)
        #expect(reason(.list(name: "fans", version: nil)) == .list)
        #expect(reason(.devices([])) == .list)
        #expect(reason(registry: 2_000) == .small)
        #expect(reason(registry: 2_001) == nil)
    }

    @Test func `each provider of the app has a share from the start, but for those that the job leaves out`() throws {
        var job = Job(id: "derby", app: "news", audience: .everyone, content: Content())
        #expect(AudienceFlow.shares(of: job, served: [.fcm, .apns], accepted: .apns) == [.apns, .fcm])
        #expect(AudienceFlow.shares(of: job, served: [.fcm], accepted: .apns) == [.fcm])
        #expect(AudienceFlow.shares(of: job, served: [], accepted: .apns) == [.apns])
        job.audience = .segment(try Segment("provider == fcm && sport"))
        #expect(AudienceFlow.shares(of: job, served: [.fcm, .apns], accepted: .apns) == [.fcm])
    }

    // MARK: Pieces

    private func ends(of pieces: AudiencePieces, devices: Int, open: Int) -> [Int] {
        var (pieces, ends): (AudiencePieces, [Int]) = (pieces, [])
        for count in stride(from: 500, through: devices, by: 500) where pieces.isDue(devices: count, open: open) {
            pieces.passed(devices: count, open: open)
            ends.append(count)
        }
        return ends
    }

    private let whole = AudienceEstimate(devices: 5_000_000, error: 0)

    @Test func `pieces begin at 2,000 devices and double up to 250,000`() {
        let ends = ends(of: AudiencePieces(flows: true, expected: whole), devices: 1_000_000, open: 1)
        let sizes = zip(ends, [0] + ends).map { $0 - $1 }
        #expect(sizes.prefix(8) == [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 250_000])
        #expect(sizes.dropFirst(7).allSatisfy { $0 == 250_000 })
        // One that goes on behind its cursor has pieces of the size that it had come to.
        #expect(AudiencePieces(flows: true, devices: 6_000).size == 8_000)
    }

    @Test(arguments: [1, 20, 40, 100, 250])
    func `pieces add at most a tenth to the shards, however many groups they have`(_ open: Int) {
        let ends = ends(of: AudiencePieces(flows: true, expected: whole), devices: 5_000_000, open: open)
        #expect(!ends.isEmpty && ends.count * open <= 5_000_000 / Shard.devicesMax / 10)
    }

    @Test func `an audience that may be small has no piece that could make it a tenth larger`() {
        let unsure = AudienceEstimate(devices: 10_000, error: 10_000)
        #expect(ends(of: AudiencePieces(flows: true, expected: unsure), devices: 4_500, open: 1).isEmpty)
        #expect(ends(of: AudiencePieces(flows: true, expected: unsure), devices: 5_000, open: 1) == [5_000])
        let known = AudienceEstimate(devices: 10_000, error: 5_000)
        #expect(ends(of: AudiencePieces(flows: true, expected: known), devices: 4_500, open: 1) == [2_000])
        // What earlier pieces closed counts too.
        let later = AudiencePieces(flows: true, devices: 2_000, splits: 10, expected: whole)
        #expect(later.isDue(devices: 6_000, open: 990) && !later.isDue(devices: 6_000, open: 991))
    }

    @Test func `one that does not flow has a checkpoint each 250,000 devices, whatever its groups`() {
        #expect(ends(of: AudiencePieces(flows: false), devices: 600_000, open: 250) == [250_000, 500_000])
    }

    // MARK: Estimates

    @Test func `an estimate is what is known and a part of what is left, and its error is of that part alone`() {
        let sample = AudienceSample(perMillion: 100_000, errorPerMillion: 5_000)
        #expect(sample.estimate(left: 5_000_000) == AudienceEstimate(devices: 500_000, error: 25_000))
        let later = sample.estimate(known: 410_000, left: 1_000_000)
        #expect(later == AudienceEstimate(devices: 510_000, error: 5_000))
        #expect(sample.estimate(known: 7, left: -3) == AudienceEstimate(devices: 7, error: 0))
        #expect(AudienceEstimate(devices: 10, error: 25).least == 0)
    }

    @Test func `ranges that are alike give a small error, and none that was met is not taken for nobody`() {
        let alike = AudienceSample(found: Array(repeating: 256, count: 32))
        #expect(alike.perMillion == 500_000 && alike.errorPerMillion == 184)
        let unlike = AudienceSample(found: (0..<32).map { $0 < 16 ? 512 : 0 })
        #expect(unlike.perMillion == 500_000 && unlike.errorPerMillion > 150_000)
        let nobody = AudienceSample(found: Array(repeating: 0, count: 32)).estimate(left: 10_000_000)
        #expect(nobody == AudienceEstimate(devices: 0, error: 1_840))
    }

    @Test(arguments: [Int64(1), 512, 513, 40_000, 5_000_000])
    func `the ranges lie within the registry, apart from each other, from a random beginning`(_ registry: Int64) {
        for random in [UInt64(0), 977, .max] {
            let positions = AudienceSample.positions(in: registry, random: random)
            #expect((1...AudienceSample.ranges).contains(positions.count))
            #expect(positions.allSatisfy { $0 >= 0 && $0 <= max(0, registry - AudienceSample.span) })
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $1 - $0 >= AudienceSample.span })
            // They reach its end, so that no part of the registry goes unmeasured.
            let step = max(AudienceSample.span, registry / Int64(AudienceSample.ranges))
            #expect(registry - (positions.last ?? 0) <= AudienceSample.span + 2 * step)
        }
        if registry == 5_000_000 { #expect(AudienceSample.positions(in: registry, random: 7).first == 7) }
    }
}
