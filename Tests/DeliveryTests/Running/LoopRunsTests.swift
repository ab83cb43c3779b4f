import Campaigns
import Testing

@testable import Delivery

/// Facts and actions of a loop's runs, state by state; `LoopSavingTests` covers their saved state.
@Suite struct LoopRunsTests {
    private var runs = LoopRuns(unflushedMax: 100)
    private let key = Fixtures.key

    /// Starts a run of a shard that sends, and takes its actions.
    @discardableResult
    private mutating func begin(_ ordinal: UInt32 = 0, isProbe: Bool = false) -> Int {
        let slot = runs.begin(Fixtures.loopRun(ordinal, isProbe: isProbe))
        runs.ready(slot)
        _ = taken()
        return slot
    }

    private mutating func taken() -> [LoopRuns.Action] {
        var actions: [LoopRuns.Action] = []
        runs.take(&actions)
        return actions
    }

    /// Opens the streams of all devices that may have one.
    @discardableResult
    private mutating func open(_ slot: Int, _ count: Int = 9) -> [Int] {
        (0..<count).compactMap { _ in runs.next(slot, now: Fixtures.now) }
    }

    private mutating func accept(_ slot: Int, _ positions: [Int]) {
        for position in positions { runs.accepted(slot, position) }
    }

    private mutating func takeOver() -> LoopRuns.Finished? { runs.takeOver(key) }

    private func key(_ ordinal: UInt32) -> ShardKey { ShardKey(campaign: 1, part: 0, ordinal: ordinal) }

    // MARK: - From its begin to its end

    @Test mutating func `a run asks for streams, is over once its last stream has ended, told once, and taken over`() {
        let slot = runs.begin(Fixtures.loopRun())
        runs.ready(slot)
        #expect(taken() == [.ask(slot: slot)])
        let positions = open(slot)
        #expect(positions == [0, 1, 2, 3, 4])
        accept(slot, Array(positions.dropLast()))
        #expect(taken() == [] && takeOver()?.epoch == nil)
        let hasActions = runs.accepted(slot, 4)
        #expect(hasActions && taken() == [.tellOver(key)])
        runs.ranOut(slot)
        runs.ready(slot)
        #expect(taken() == [])
        let over = runs.takeOver(key)
        #expect(over?.epoch == 1 && over?.shard.id.key == key)
        #expect(taken() == [.freed(slot: slot, wasProbe: false)])
        #expect(runs.isEmpty && runs.takenSlots == [] && takeOver()?.epoch == nil)
    }

    @Test mutating func `an accepted device has nothing to be done, and costs no action`() {
        let slot = begin()
        for position in open(slot).dropLast() {
            let hasActions = runs.accepted(slot, position)
            #expect(!hasActions)
        }
        #expect(runs.actions.isEmpty)
    }

    @Test mutating func `a run without a device left is over when it is asked for one`() {
        var progress = Progress(count: 5)
        for position in 0..<5 { progress.accept(position) }
        let slot = runs.begin(Fixtures.loopRun(progress: progress))
        runs.ready(slot)
        #expect(taken() == [.ask(slot: slot)] && open(slot) == [])
        let hasActions = runs.ranOut(slot)
        #expect(hasActions && taken() == [.tellOver(key)])
    }

    @Test mutating func `a place is another's only when it is free`() {
        let first = begin(0)
        let second = begin(1)
        #expect(first != second)
        accept(first, open(first))
        _ = runs.takeOver(key(0))
        _ = taken()
        #expect(begin(2) == first)
    }

    // MARK: - Stops

    @Test mutating func `a stop is told to the endpoint, and the run is over when its streams have ended`() {
        let slot = begin()
        open(slot, 2)
        runs.stop(key, .setAside(.paused))
        #expect(taken() == [.stopped(slot: slot)] && runs.isStopped(slot) && open(slot) == [])
        accept(slot, [0])
        #expect(taken() == [])
        accept(slot, [1])
        #expect(taken() == [.tellOver(key)])
        #expect(runs.stopped([key]).map(\.epoch) == [1])
    }

    @Test mutating func `a run that its answers stop tells the endpoint as well`() {
        let slot = begin()
        open(slot, 2)
        runs.told(slot, 0, .setAside(.credentials), now: Fixtures.now)
        #expect(taken() == [.stopped(slot: slot)])
        runs.told(slot, 1, .setAside(.credentials), now: Fixtures.now)
        #expect(taken() == [.tellOver(key)])
        let (first, second) = (runs.credentialsRefused(slot), runs.credentialsRefused(slot))
        #expect(first && !second)
    }

    @Test mutating func `an open breaker sets aside the runs of its app and provider, but not its probe`() {
        let (slot, probe) = (begin(0), begin(1, isProbe: true))
        runs.setAside(app: "news", provider: ProviderName(rawValue: "fcm"))
        runs.setAside(app: "other", provider: .apns)
        #expect(taken() == [])
        runs.setAside(app: "news", provider: .apns)
        #expect(taken() == [.stopped(slot: slot), .tellOver(key(0))] && !runs.isStopped(probe))
    }

    @Test mutating func `stops, adoptions and forgetting of shards that have no run here do nothing`() {
        runs.stop(key, .leaseLost)
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        runs.forget(key)
        #expect(taken() == [] && runs.stopped([key]).isEmpty)
    }

    // MARK: - Adoption

    @Test mutating func `a run that is adopted goes on, and is told over once more`() {
        let slot = begin()
        runs.stop(key, .leaseLost)
        #expect(taken() == [.stopped(slot: slot), .tellOver(key)])
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        #expect(taken() == [.ask(slot: slot)] && runs.epoch(slot) == 2 && takeOver()?.epoch == nil)
        accept(slot, open(slot))
        #expect(taken() == [.tellOver(key)])
    }

    @Test mutating func `a run that is adopted when it is over, or whose lease is lost again, is told over at once`() {
        let slot = begin()
        accept(slot, open(slot))
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        #expect(taken() == [.tellOver(key), .tellOver(key)])
        begin(1)
        runs.adopted(key(1), epoch: 2, isLeaseLost: true)
        #expect(taken() == [.tellOver(key(1))])
    }

    // MARK: - Forgotten

    @Test mutating func `a forgotten run keeps its place until its last stream has ended, and is never told over`() {
        let slot = begin(isProbe: true)
        open(slot, 1)
        runs.forget(key)
        #expect(taken() == [.stopped(slot: slot)] && runs.takenSlots == [slot] && runs.sendingSlots == [])
        let next = begin()
        #expect(next != slot && takeOver()?.epoch == nil && open(slot) == [])
        runs.ranOut(slot)
        runs.setAside(app: "news", provider: .apns)
        #expect(taken().allSatisfy { $0 != .stopped(slot: slot) })
        let hasActions = runs.accepted(slot, 0)
        #expect(hasActions && taken() == [.freed(slot: slot, wasProbe: true)])
    }

    @Test mutating func `a forgotten run without a stream leaves its place at once`() {
        let slot = begin()
        runs.forget(key)
        #expect(taken() == [.stopped(slot: slot), .freed(slot: slot, wasProbe: false)])
        #expect(begin() == slot)
    }

    // MARK: - The turn

    private func instant(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    @Test mutating func `streams are opened while the lease holds and the campaigns are known, as of a turn's begin`() {
        #expect(!runs.mayOpen)
        for (lease, known, mayOpen) in [(5, 5, true), (4, 5, false), (5, 4, false), (0, 0, false)] {
            runs.turnBegan(at: instant(4), leaseUntil: instant(lease), knownUntil: instant(known))
            #expect(runs.mayOpen == mayOpen)
        }
    }

    @Test mutating func `as many answers may be uncommitted as the bound says, which changes with the next turn`() {
        runs.limitUnflushed(to: 2)
        runs.turnBegan(at: instant(1), leaseUntil: instant(9), knownUntil: instant(9))
        let slot = begin()
        accept(slot, open(slot, 1))
        #expect(runs.mayOpen)
        accept(slot, open(slot, 1))
        #expect(!runs.mayOpen && runs.unflushed == 2)
        runs.limitUnflushed(to: 3)
        #expect(!runs.mayOpen)
        runs.turnBegan(at: instant(2), leaseUntil: instant(9), knownUntil: instant(9))
        #expect(runs.mayOpen)
    }

    @Test mutating func `what ends without a stream counts when the devices have run out`() {
        let slot = begin()
        while let position = runs.next(slot, now: Fixtures.now) {
            runs.leftOut(slot, position, LeftOut(.skipped, reason: "Aborted"))
        }
        #expect(runs.unflushed == 0)
        runs.ranOut(slot)
        #expect(runs.unflushed == 5 && taken() == [.tellOver(key)])
    }

    // MARK: - Pacing

    @Test mutating func `a run with a slot says when to look again, and is asked when it is somebody's turn`() {
        let start = Fixtures.now.milliseconds * 1000
        let turns = Slot(begins: start, length: 1_000_000)
        let slot = runs.begin(Fixtures.loopRun(slot: turns))
        runs.ready(slot)
        _ = taken()
        #expect(open(slot) == [0])
        #expect(pace() == LoopRuns.pacingRest && taken() == [])
        runs.stop(slot, .setAside(.paused))
        _ = taken()
        #expect(pace() == LoopRuns.pacingPause)
        accept(slot, [0])
        #expect(pace() == nil)
    }

    private mutating func pace() -> Duration? { runs.pace(now: Fixtures.now) }

    @Test mutating func `without a run that has a slot nobody looks`() {
        begin()
        #expect(pace() == nil)
    }
}
