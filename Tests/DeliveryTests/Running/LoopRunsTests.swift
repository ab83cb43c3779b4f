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
        let runIndex = runs.begin(Fixtures.loopRun(ordinal, isProbe: isProbe))
        runs.ready(runIndex)
        _ = taken()
        return runIndex
    }

    private mutating func taken() -> [LoopRuns.Action] {
        var actions: [LoopRuns.Action] = []
        runs.take(&actions)
        return actions
    }

    /// Opens the streams of all devices that may have one.
    @discardableResult
    private mutating func open(_ runIndex: Int, _ count: Int = 9) -> [Int] {
        (0..<count).compactMap { _ in runs.next(runIndex, now: Fixtures.now) }
    }

    private mutating func accept(_ runIndex: Int, _ positions: [Int]) {
        for position in positions { runs.accepted(runIndex, position) }
    }

    private mutating func takeOver() -> LoopRuns.Finished? { runs.takeOver(key) }

    private func key(_ ordinal: UInt32) -> ShardKey { ShardKey(campaign: 1, part: 0, ordinal: ordinal) }

    // MARK: - From its begin to its end

    @Test mutating func `a run asks for streams, is over once its last stream has ended, told once, and taken over`() {
        let runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        #expect(taken() == [.ask(runIndex: runIndex)])
        let positions = open(runIndex)
        #expect(positions == [0, 1, 2, 3, 4])
        accept(runIndex, Array(positions.dropLast()))
        #expect(taken() == [] && takeOver()?.epoch == nil)
        let hasActions = runs.accepted(runIndex, 4)
        #expect(hasActions && taken() == [.tellOver(key)])
        runs.ranOut(runIndex)
        runs.ready(runIndex)
        #expect(taken() == [])
        let over = runs.takeOver(key)
        #expect(over?.epoch == 1 && over?.shard.id.key == key)
        #expect(taken() == [.freed(runIndex: runIndex, wasProbe: false)])
        #expect(runs.isEmpty && runs.takenIndexes == [] && takeOver()?.epoch == nil)
    }

    @Test mutating func `an accepted device has nothing to be done, and costs no action`() {
        let runIndex = begin()
        for position in open(runIndex).dropLast() {
            let hasActions = runs.accepted(runIndex, position)
            #expect(!hasActions)
        }
        #expect(runs.actions.isEmpty)
    }

    @Test mutating func `a run without a device left is over when it is asked for one`() {
        var progress = Progress(count: 5)
        for position in 0..<5 { progress.accept(position) }
        let runIndex = runs.begin(Fixtures.loopRun(progress: progress))
        runs.ready(runIndex)
        #expect(taken() == [.ask(runIndex: runIndex)] && open(runIndex) == [])
        let hasActions = runs.ranOut(runIndex)
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
        let runIndex = begin()
        open(runIndex, 2)
        runs.stop(key, .setAside(.paused))
        #expect(taken() == [.stopped(runIndex: runIndex)] && runs.isStopped(runIndex) && open(runIndex) == [])
        accept(runIndex, [0])
        #expect(taken() == [])
        accept(runIndex, [1])
        #expect(taken() == [.tellOver(key)])
        #expect(stopped() == [1])
    }

    /// The epoch of the run for which a newer campaign need not wait, after so many seconds.
    private func stopped(after seconds: Int64 = 0) -> [UInt32] {
        runs.stopped([key], now: MonotonicInstant(nanoseconds: seconds * 1_000_000_000)).map(\.epoch)
    }

    @Test mutating func `a newer campaign waits for the answers of a stopped run, but not longer than two seconds`() {
        let runIndex = begin()
        open(runIndex, 2)
        #expect(stopped() == [])
        runs.stop(key, .end(.superseded))
        #expect(stopped(after: 5) == [] && stopped(after: 6) == [])
        accept(runIndex, [0])
        #expect(stopped(after: 6) == [])
        #expect(stopped(after: 7) == [1])
    }

    @Test mutating func `a run that its answers stop tells the endpoint as well`() {
        let runIndex = begin()
        open(runIndex, 2)
        runs.told(runIndex, 0, .setAside(.credentials), now: Fixtures.now)
        #expect(taken() == [.stopped(runIndex: runIndex)])
        runs.told(runIndex, 1, .setAside(.credentials), now: Fixtures.now)
        #expect(taken() == [.tellOver(key)])
        let (first, second) = (runs.credentialsRefused(runIndex), runs.credentialsRefused(runIndex))
        #expect(first && !second)
    }

    @Test mutating func `an open breaker sets aside the runs of its app and provider, but not its probe`() {
        let (runIndex, probe) = (begin(0), begin(1, isProbe: true))
        runs.setAside(app: "news", provider: ProviderName(rawValue: "fcm"))
        runs.setAside(app: "other", provider: .apns)
        #expect(taken() == [])
        runs.setAside(app: "news", provider: .apns)
        #expect(taken() == [.stopped(runIndex: runIndex), .tellOver(key(0))] && !runs.isStopped(probe))
    }

    @Test mutating func `stops, adoptions and forgetting of shards that have no run here do nothing`() {
        runs.stop(key, .leaseLost)
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        runs.forget(key)
        #expect(taken() == [] && stopped() == [])
    }

    // MARK: - Adoption

    @Test mutating func `a run that is adopted goes on, and is told over once more`() {
        let runIndex = begin()
        runs.stop(key, .leaseLost)
        #expect(taken() == [.stopped(runIndex: runIndex), .tellOver(key)])
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        #expect(taken() == [.ask(runIndex: runIndex)] && runs.epoch(runIndex) == 2 && takeOver()?.epoch == nil)
        accept(runIndex, open(runIndex))
        #expect(taken() == [.tellOver(key)])
    }

    @Test mutating func `a run that is adopted when it is over, or whose lease is lost again, is told over at once`() {
        let runIndex = begin()
        accept(runIndex, open(runIndex))
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        #expect(taken() == [.tellOver(key), .tellOver(key)])
        begin(1)
        runs.adopted(key(1), epoch: 2, isLeaseLost: true)
        #expect(taken() == [.tellOver(key(1))])
    }

    @Test mutating func `a probe under a rate is told over once it has proved the provider well`() {
        let runIndex = runs.begin(Fixtures.loopRun(isProbe: true, isUnderRate: true))
        open(runIndex, 1)
        runs.accepted(runIndex, 0)
        _ = taken()
        runs.proved(runIndex)
        #expect(taken() == [.stopped(runIndex: runIndex), .tellOver(key)])
    }

    // MARK: - Forgotten

    @Test mutating func `a forgotten run keeps its place until its last stream has ended, and is never told over`() {
        let runIndex = begin(isProbe: true)
        open(runIndex, 1)
        runs.forget(key)
        #expect(
            taken() == [.stopped(runIndex: runIndex)] && runs.takenIndexes == [runIndex] && runs.sendingIndexes == []
        )
        let next = begin()
        #expect(next != runIndex && takeOver()?.epoch == nil && open(runIndex) == [])
        runs.ranOut(runIndex)
        runs.setAside(app: "news", provider: .apns)
        #expect(taken().allSatisfy { $0 != .stopped(runIndex: runIndex) })
        let hasActions = runs.accepted(runIndex, 0)
        #expect(hasActions && taken() == [.freed(runIndex: runIndex, wasProbe: true)])
    }

    @Test mutating func `a forgotten run without a stream leaves its place at once`() {
        let runIndex = begin()
        runs.forget(key)
        #expect(taken() == [.stopped(runIndex: runIndex), .freed(runIndex: runIndex, wasProbe: false)])
        #expect(begin() == runIndex)
    }

    // MARK: - The turn

    private func instant(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    @Test mutating func `streams are opened while the lease holds and the campaigns are known, as of a turn's begin`() {
        #expect(!runs.mayOpen)
        for (lease, known, mayOpen) in [(5, 5, true), (4, 5, false), (5, 4, false), (0, 0, false)] {
            runs.tickBegan(at: instant(4), leaseUntil: instant(lease), knownUntil: instant(known))
            #expect(runs.mayOpen == mayOpen)
        }
    }

    @Test mutating func `as many answers may be uncommitted as the bound says, which changes with the next turn`() {
        runs.limitUnflushed(to: 2)
        runs.tickBegan(at: instant(1), leaseUntil: instant(9), knownUntil: instant(9))
        let runIndex = begin()
        accept(runIndex, open(runIndex, 1))
        #expect(runs.mayOpen)
        accept(runIndex, open(runIndex, 1))
        #expect(!runs.mayOpen && runs.unflushed == 2)
        runs.limitUnflushed(to: 3)
        #expect(!runs.mayOpen)
        runs.tickBegan(at: instant(2), leaseUntil: instant(9), knownUntil: instant(9))
        #expect(runs.mayOpen)
    }

    @Test mutating func `what ends without a stream counts when the devices have run out`() {
        let runIndex = begin()
        while let position = runs.next(runIndex, now: Fixtures.now) {
            runs.leftOut(runIndex, position, LeftOut(.skipped, reason: "Aborted"))
        }
        #expect(runs.unflushed == 0)
        runs.ranOut(runIndex)
        #expect(runs.unflushed == 5 && taken() == [.tellOver(key)])
    }

    // MARK: - Pacing

    @Test mutating func `a run with a slot says when to look again, and is asked when it is somebody's turn`() {
        let start = Fixtures.now.milliseconds * 1000
        let turns = Slot(begins: start, length: 1_000_000)
        let runIndex = runs.begin(Fixtures.loopRun(slot: turns))
        runs.ready(runIndex)
        _ = taken()
        #expect(open(runIndex) == [0])
        #expect(pace() == LoopRuns.pacingRest && taken() == [])
        runs.stop(runIndex, .setAside(.paused))
        _ = taken()
        #expect(pace() == LoopRuns.pacingPause)
        accept(runIndex, [0])
        #expect(pace() == nil)
    }

    private mutating func pace() -> Duration? { runs.pace(now: Fixtures.now) }

    @Test mutating func `without a run that has a slot nobody looks`() {
        begin()
        #expect(pace() == nil)
    }
}
