import Campaigns
import Delivery
import Testing

@Suite struct RunningShardsTests {
    private let key = Fixtures.key

    private func delivery(
        _ tag: UInt64,
        connection: UInt64 = 1,
        generation: UInt32 = 1,
        redelivered: Bool = false
    ) -> ShardDelivery {
        ShardDelivery(connection: connection, tag: tag, generation: generation, redelivered: redelivered)
    }

    private func started() -> RunningShards {
        var table = RunningShards()
        table.connected(1)
        #expect(table.arrived(key, delivery(1)) == .claim(adopting: nil))
        #expect(table.concluded(key, epoch: 1, now: Fixtures.now).0 == .start(replaces: nil))
        return table
    }

    @Test func `another end of the campaign hands over the runs that do not know it`() {
        var table = started()
        var campaign = Fixtures.campaign()
        #expect(table.stops(campaigns: [1: campaign], now: Fixtures.now).isEmpty)
        campaign.endChanges = 1
        let stops = table.stops(campaigns: [1: campaign], now: Fixtures.now)
        #expect(stops.map(\.0) == [key] && stops.map(\.1) == [.setAside(.handOver)])
        // A pause has priority.
        campaign.pausedBy = [.paused]
        #expect(table.stops(campaigns: [1: campaign], now: Fixtures.now).map(\.1) == [.setAside(.paused)])
        // A new claim knows the change; a poll older than the claim changes nothing.
        #expect(table.ended(key, epoch: 1) == delivery(1))
        #expect(table.arrived(key, delivery(2, generation: 2)) == .claim(adopting: nil))
        _ = table.concluded(key, epoch: 2, endChanges: 2, now: Fixtures.now)
        #expect(table.stops(campaigns: [1: Fixtures.campaign()], now: Fixtures.now).isEmpty)
        campaign.pausedBy = []
        campaign.endChanges = 2
        #expect(table.stops(campaigns: [1: campaign], now: Fixtures.now).isEmpty)
    }

    @Test func `a run's delivery is acked at its end`() {
        var table = started()
        #expect(table.campaigns == [1] && table.runningKeys == [key])
        #expect(table.ended(key, epoch: 1) == delivery(1))
        #expect(table.count == 0)
    }

    @Test func `a campaign has shards here while one of them runs or is claimed, and none afterwards`() {
        var table = RunningShards()
        table.connected(1)
        #expect(!table.hasShards(of: key.campaign))
        _ = table.arrived(key, delivery(1))
        #expect(table.hasShards(of: key.campaign) && !table.hasShards(of: key.campaign + 1))
        _ = table.concluded(key, epoch: 1, now: Fixtures.now)
        #expect(table.hasShards(of: key.campaign))
        _ = table.ended(key, epoch: 1)
        #expect(!table.hasShards(of: key.campaign))
    }

    @Test func `a second copy is acked while the first is held, redelivered or not`() {
        var table = started()
        #expect(table.arrived(key, delivery(2)) == .secondCopy)
        #expect(table.arrived(key, delivery(3, redelivered: true)) == .secondCopy)
    }

    @Test func `a delivery that came back is adopted by the epoch`() {
        var table = started()
        #expect(table.disconnected() == [key])
        #expect(table.isLeaseLost(key))
        table.connected(2)
        #expect(table.arrived(key, delivery(1, connection: 2)) == .secondCopy)
        #expect(table.arrived(key, delivery(2, connection: 2, redelivered: true)) == .claim(adopting: 1))
        #expect(table.isAdopting(key))
        #expect(table.concluded(key, epoch: 2, now: Fixtures.now).0 == .adopt)
        #expect(!table.isLeaseLost(key) && !table.isAdopting(key))
        #expect(table.ended(key, epoch: 1) == nil)
        #expect(table.ended(key, epoch: 2) == delivery(2, connection: 2, redelivered: true))
    }

    @Test func `a claim that waits holds its delivery, and nothing of the shard runs or is claimed here meanwhile`() {
        var table = RunningShards()
        table.connected(1)
        let back = delivery(1, redelivered: true)
        #expect(table.arrived(key, back) == .claim(adopting: nil))
        #expect(table.concluded(key, epoch: nil, waits: true, now: Fixtures.now).0 == .hold(back))
        #expect(table.count == 0)
        // When it comes again, it is claimed again.
        #expect(table.arrived(key, back) == .claim(adopting: nil))
        _ = table.disconnected()
        #expect(table.concluded(key, epoch: nil, waits: true, now: Fixtures.now).0 == .gone)
    }

    @Test func `a claim that is granted when its connection is gone is given up`() {
        var table = RunningShards()
        table.connected(1)
        #expect(table.arrived(key, delivery(1)) == .claim(adopting: nil))
        _ = table.disconnected()
        #expect(table.concluded(key, epoch: 3, now: Fixtures.now).0 == .giveUp(epoch: 3))
        #expect(table.count == 0)
        // Our own run goes on instead, without its lease.
        var own = started()
        _ = own.disconnected()
        own.connected(2)
        #expect(own.arrived(key, delivery(2, connection: 2, redelivered: true)) == .claim(adopting: 1))
        _ = own.disconnected()
        #expect(own.concluded(key, epoch: 2, now: Fixtures.now).0 == .adopt)
    }

    @Test func `a run that another took over in between is replaced`() {
        var table = started()
        _ = table.disconnected()
        table.connected(2)
        _ = table.arrived(key, delivery(1, connection: 2, redelivered: true))
        #expect(table.concluded(key, epoch: 3, now: Fixtures.now).0 == .start(replaces: nil))
        #expect(table.ended(key, epoch: 1) == nil)
    }

    @Test func `a higher generation replaces a run, and its delivery is acked`() {
        var table = started()
        #expect(table.arrived(key, delivery(2, generation: 2)) == .claim(adopting: nil))
        #expect(table.concluded(key, epoch: 5, now: Fixtures.now).0 == .start(replaces: delivery(1)))
        #expect(table.arrived(key, delivery(3, generation: 1, redelivered: true)) == .secondCopy)
    }

    @Test func `copies that meet a claim wait for it`() {
        var table = RunningShards()
        table.connected(1)
        _ = table.arrived(key, delivery(1))
        let copy = delivery(2, redelivered: true)
        #expect(table.arrived(key, copy) == .wait)
        let (conclusion, rest) = table.concluded(key, epoch: nil, now: Fixtures.now)
        #expect(conclusion == .ack(delivery(1)))
        // Not acked: it may be the lost copy of a worker that died.
        #expect(rest.map(\.0) == [copy] && rest.map(\.1) == [.claim(adopting: nil)])
        #expect(table.concluded(key, epoch: 1, now: Fixtures.now).0 == .start(replaces: nil))
    }

    @Test func `a connection that is lost under a claim leaves nothing behind`() {
        var table = RunningShards()
        table.connected(1)
        _ = table.arrived(key, delivery(1))
        #expect(table.disconnected().isEmpty)
        #expect(table.arrived(key, delivery(1)) == .gone)
        #expect(table.concluded(key, epoch: 1, now: Fixtures.now).0 == .giveUp(epoch: 1))
        #expect(table.count == 0)
    }

    @Test func `a poll stops runs, and those whose claim it passed`() {
        var table = started()
        let other = ShardKey(campaign: 1, part: 0, ordinal: 1)
        _ = table.arrived(other, delivery(2))
        let stops = table.stops(campaigns: [1: Fixtures.campaign(.cancelled)], now: Fixtures.now)
        #expect(stops.map(\.0) == [key] && stops.map(\.1) == [.end(.cancelled)])
        _ = table.concluded(other, epoch: 1, now: Fixtures.now)
        #expect(table.startStop(other) == .end(.cancelled))
        #expect(table.startStop(other) == nil)
        let paused = table.stops(campaigns: [1: Fixtures.campaign(pausedBy: [.paused])], now: Fixtures.now)
        #expect(paused.map(\.1) == [.setAside(.paused), .setAside(.paused)])
    }

    @Test func `of several providers only the shards of the one in trouble are stopped`() {
        var table = started()
        let (other, claimed) = (ShardKey(campaign: 1, part: 0, ordinal: 1), ShardKey(campaign: 1, part: 0, ordinal: 2))
        _ = table.arrived(other, delivery(2))
        _ = table.concluded(other, epoch: 1, now: Fixtures.now)
        _ = table.arrived(claimed, delivery(3))
        let whole = Fixtures.campaign()
        var share = whole
        share.isSuspended = true
        // The ledger already has the shard that a pending claim will run, if the pause has not reached it.
        let shares = [key: whole, other: share, claimed: share]
        let stops = table.stops(campaigns: [1: whole], shares: shares, now: Fixtures.now)
        #expect(stops.map(\.0) == [other] && stops.map(\.1) == [.setAside(.suspended)])
        _ = table.concluded(claimed, epoch: 1, now: Fixtures.now)
        #expect(table.startStop(claimed) == .setAside(.suspended) && table.startStop(key) == nil)
    }

    @Test func `a delivery is held five minutes at most`() {
        let table = started()
        #expect(table.held(for: .seconds(300), now: Fixtures.after(299)).isEmpty)
        #expect(table.held(for: .seconds(300), now: Fixtures.after(300)) == [key])
    }
}
