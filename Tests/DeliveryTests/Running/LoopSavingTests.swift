import Campaigns
import Testing

@testable import Delivery

/// The ledger's state of a loop's runs, and the meaning of its answers.
@Suite struct LoopSavingTests {
    private var runs = LoopRuns(unflushedMax: 100)
    private let key = Fixtures.key
    private var runIndex = 0

    init() {
        runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        _ = taken()
    }

    private mutating func taken() -> [LoopRuns.Action] {
        var actions: [LoopRuns.Action] = []
        runs.take(&actions)
        return actions
    }

    private mutating func accept(_ count: Int) {
        for _ in 0..<count {
            guard let position = runs.next(runIndex, now: Fixtures.now) else { return }
            runs.accepted(runIndex, position)
        }
    }

    private mutating func answers() -> [Int] { runs.save().map(\.answers) }

    private mutating func next() -> Int? { runs.next(runIndex, now: Fixtures.now) }

    @Test mutating func `answers count as uncommitted until the ledger has them, and no longer`() {
        accept(2)
        #expect(answers() == [2] && runs.unflushed == 2)
        accept(1)
        #expect(runs.unflushed == 3)
        runs.saved(fenced: [])
        #expect(runs.unflushed == 1)
        // Nothing is in flight any more: a repeated answer changes nothing.
        runs.saved(fenced: [])
        runs.saveFailed()
        #expect(runs.unflushed == 1 && answers() == [1])
    }

    @Test mutating func `one save is out at a time, and what has not changed is not saved`() {
        accept(2)
        #expect(answers() == [2])
        accept(1)
        #expect(answers() == [])
        runs.saved(fenced: [])
        #expect(answers() == [1])
        runs.saved(fenced: [])
        #expect(answers() == [] && runs.unflushed == 0)
    }

    @Test mutating func `what the ledger did not take is saved again, with what has come since`() {
        accept(2)
        #expect(answers() == [2])
        accept(1)
        runs.saveFailed()
        #expect(runs.unflushed == 3)
        #expect(answers() == [3])
        runs.saved(fenced: [])
        #expect(runs.unflushed == 0)
    }

    @Test mutating func `a fenced save stops its run, whose lease is lost, and no other`() {
        let other = runs.begin(Fixtures.loopRun(1))
        runs.ready(other)
        accept(2)
        if let position = runs.next(other, now: Fixtures.now) { runs.accepted(other, position) }
        _ = taken()
        #expect(answers().count == 2)
        runs.saved(fenced: [key])
        #expect(taken() == [.stopped(runIndex: runIndex), .tellOver(key)])
        #expect(runs.stop(of: runIndex) == .leaseLost && runs.stop(of: other) == nil && runs.unflushed == 0)
    }

    @Test mutating func `a save that is fenced because its run was adopted meanwhile is made again at once`() {
        accept(2)
        #expect(answers() == [2])
        runs.adopted(key, epoch: 2, isLeaseLost: false)
        _ = taken()
        runs.saved(fenced: [key])
        #expect(runs.stop(of: runIndex) == nil && taken() == [] && runs.unflushed == 2)
        let again = runs.save()
        #expect(again.map(\.epoch) == [2] && again.map(\.answers) == [2])
        runs.saved(fenced: [])
        #expect(runs.unflushed == 0)
    }

    @Test mutating func `the answers of a run that is over hold up streams until the ledger has its end`() {
        runs = LoopRuns(unflushedMax: 5)
        runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        let instant = { MonotonicInstant(nanoseconds: $0) }
        runs.tickBegan(at: instant(0), leaseUntil: instant(9), knownUntil: instant(9))
        accept(2)
        #expect(answers() == [2])
        accept(3)
        #expect(runs.takeOver(key)?.epoch == 1)
        runs.saved(fenced: [])
        #expect(runs.unflushed == 3 && runs.mayOpen)
        // They come with the run's end, so there is nothing to save.
        #expect(!runs.isSaveDue && answers() == [])
        runs.limitUnflushed(to: 3)
        runs.tickBegan(at: instant(0), leaseUntil: instant(9), knownUntil: instant(9))
        runs.endCommitted(key, epoch: 2)
        #expect(runs.unflushed == 3 && !runs.mayOpen)
        runs.endCommitted(key, epoch: 1)
        runs.endCommitted(key, epoch: 1)
        #expect(runs.unflushed == 0 && runs.mayOpen)
    }

    @Test mutating func `answers that were not saved when their run was over are told with its end`() {
        accept(2)
        #expect(answers() == [2])
        accept(3)
        _ = runs.takeOver(key)
        runs.saveFailed()
        #expect(runs.unflushed == 5)
        runs.endCommitted(key, epoch: 1)
        #expect(runs.unflushed == 0)

        runIndex = runs.begin(Fixtures.loopRun())
        accept(5)
        #expect(answers() == [5])
        _ = runs.takeOver(key)
        runs.endCommitted(key, epoch: 1)
        #expect(runs.unflushed == 5)
        runs.saveFailed()
        #expect(runs.unflushed == 0)
    }

    @Test mutating func `the answers of a run that is forgotten are not waited for`() {
        accept(2)
        #expect(answers() == [2])
        accept(1)
        _ = runs.next(runIndex, now: Fixtures.now)
        runs.forget(key)
        #expect(runs.unflushed == 2)
        runs.accepted(runIndex, 3)
        runs.saveFailed()
        #expect(runs.unflushed == 0 && answers() == [])
    }

    @Test(arguments: [true, false])
    mutating func `what became of a former run's save says nothing of the next of its slot`(_ isTaken: Bool) {
        accept(2)
        #expect(answers() == [2])
        runs.forget(key)
        let next = runs.begin(Fixtures.loopRun())
        runs.ready(next)
        _ = taken()
        #expect(next == runIndex)
        if isTaken { runs.saved(fenced: [key]) } else { runs.saveFailed() }
        #expect(runs.stop(of: next) == nil && runs.unflushed == 0 && taken() == [] && answers() == [])
    }

    @Test mutating func `with at most once, devices behind the mark wait for its save, and are asked for then`() {
        runs = LoopRuns(unflushedMax: 100)
        runIndex = runs.begin(Fixtures.loopRun(dropUnknown: true))
        runs.ready(runIndex)
        #expect(taken() == [] && next() == nil)
        #expect(answers() == [0])
        runs.saved(fenced: [])
        #expect(taken() == [.ask(runIndex: runIndex)] && next() == 0)
    }

    private mutating func hurries() -> Bool { runs.hurriesSave() }

    @Test mutating func `a save is due at once when many answers wait`() {
        runs = LoopRuns(unflushedMax: 10_000)
        for ordinal in 0..<UInt32(LoopRuns.saveAnswers / 5) {
            #expect(!runs.isSaveDue)
            runIndex = runs.begin(Fixtures.loopRun(ordinal))
            accept(5)
        }
        #expect(runs.isSaveDue)
    }

    @Test mutating func `a save is due before the answers reach the limit, at half of it`() {
        runs = LoopRuns(unflushedMax: 6)
        runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        accept(2)
        #expect(!runs.isSaveDue)
        accept(1)
        #expect(runs.isSaveDue)
        runs = LoopRuns(unflushedMax: 1)
        #expect(!runs.isSaveDue)
    }

    @Test mutating func `a save that waits for company is hurried once, when more would hold up streams`() {
        runs = LoopRuns(unflushedMax: 6)
        runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        accept(2)
        #expect(!hurries())
        #expect(answers() == [2] && runs.isSaving && !runs.isSaveHurried)
        #expect(!hurries())
        accept(1)
        #expect(hurries() && runs.isSaveHurried && !hurries())
        runs.saved(fenced: [])
        #expect(!runs.isSaving && answers() == [1] && !runs.isSaveHurried)
    }

    @Test mutating func `a save that is due when it is made need not be hurried`() {
        runs = LoopRuns(unflushedMax: 6)
        runIndex = runs.begin(Fixtures.loopRun())
        runs.ready(runIndex)
        accept(3)
        #expect(answers() == [3] && runs.isSaveHurried)
        accept(1)
        #expect(!hurries())
    }

    @Test mutating func `with at most once, a save waits for no company, because devices wait for it`() {
        runs = LoopRuns(unflushedMax: 100)
        runs.ready(runs.begin(Fixtures.loopRun(dropUnknown: true)))
        #expect(answers() == [0] && runs.isSaveHurried)
    }

    @Test mutating func `with at most once, the save of a mark is synced, and one of answers alone is not`() {
        runs = LoopRuns(unflushedMax: 100)
        runIndex = runs.begin(Fixtures.loopRun(dropUnknown: true))
        runs.ready(runIndex)
        #expect(answers() == [0] && runs.isSaveSynced)
        runs.saved(fenced: [])
        accept(1)
        #expect(answers() == [1] && !runs.isSaveSynced)
    }
}
