import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// Priority, delay, timeout, interval and deferred messages, compared with a second, naive implementation.
@Suite struct InAppTimesModelTests {
    private struct Entry {
        let name: String
        let due: Int
        let deadline: Int
        var isPostponed = false
    }

    /// Arrays of names and a clock in seconds; checks everything at every step.
    private struct Model {
        var offered: [(name: String, event: String, priority: Int, delay: Int, timeout: Int)] = []
        let interval: Int
        var waiting: [Entry] = []
        var stack: [Entry] = []
        var asked: Entry?
        var shown: String?
        var shownAt = -1_000_000
        var seen: Set<String> = []
        var isActive = false
        var isKeyboardUp = false
        var isFree: Bool { isActive && !isKeyboardUp }

        func isBusy(_ name: String) -> Bool {
            seen.contains(name) || asked?.name == name || (waiting + stack).contains { $0.name == name }
        }

        /// Returns the name of the message that the event triggers; nil for none.
        mutating func fire(_ event: String, _ now: Int) -> String? {
            let fitting = offered.filter { $0.event == event && !isBusy($0.name) }
            guard let highest = fitting.map(\.priority).max(),
                let best = fitting.first(where: { $0.priority == highest })
            else { return nil }
            waiting.append(Entry(name: best.name, due: now + best.delay, deadline: now + best.timeout))
            return best.name
        }

        /// Returns the expired messages, and then the requested one.
        mutating func look(_ now: Int, byHand: Bool = false) -> (late: [String], asked: String?) {
            let late = (stack + waiting).filter { $0.deadline <= now }.map(\.name)
            stack.removeAll { $0.deadline <= now }
            waiting.removeAll { $0.deadline <= now }
            stack += waiting.filter { $0.due <= now }
            waiting.removeAll { $0.due <= now }
            guard isFree, asked == nil, shown == nil, byHand || now >= shownAt + interval,
                let index = stack.lastIndex(where: { byHand || !$0.isPostponed })
            else { return (late, nil) }
            asked = stack.remove(at: index)
            return (late, asked?.name)
        }

        mutating func wake() { for index in stack.indices { stack[index].isPostponed = false } }

        mutating func surround(_ body: (inout Model) -> Void) {
            let wasFree = isFree
            body(&self)
            if isFree, !wasFree { wake() }
        }

        mutating func answer(_ choice: InAppChoice, _ now: Int) {
            guard var entry = asked else { return }
            asked = nil
            switch choice {
            case .discard: break
            case .now where isFree:
                (shown, shownAt) = (entry.name, now)
                seen.insert(entry.name)
            case .now: stack.append(entry)
            case .later:
                entry.isPostponed = true
                stack.append(entry)
            }
        }
    }

    private let events = ["goal", "foul", "card"]
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func messages(_ random: inout SeededRandom, _ model: inout Model) -> [InAppMessage] {
        (0..<14).map { number in
            let event = events[random.below(3)]
            let (priority, delay) = (random.below(4), [0, 0, 5, 20][random.below(4)])
            let timeout = random.chance(0.5) ? delay + 1 + random.below(40) : 1_000_000
            model.offered.append(("m\(number)", event, priority, delay, timeout))
            var message = InAppMessage(id: "m\(number)", messageID: "s\(number)")
            message.triggers = [Trigger(.customEvent, name: event)]
            message.priority = priority
            message.delay = TimeInterval(delay)
            message.timeout = TimeInterval(timeout)
            return message
        }
    }

    /// Applies an event to both; nil if it makes no sense now.
    private func step(
        _ random: inout SeededRandom,
        _ engine: inout InAppEngine,
        _ model: inout Model,
        _ now: Int
    )
        -> (effects: [InAppEngine.Effect], late: [String], asked: String?)?
    {
        let date = start + TimeInterval(now)
        var effects: [InAppEngine.Effect]
        var isByHand = false
        switch random.below(9) {
        case 0, 1, 2:
            let event = events[random.below(3)]
            effects = engine.happened(.custom(event), now: date)
            let isTold = effects.contains(.noMatchingTrigger(.custom(event)))
            #expect(isTold == (model.fire(event, now) == nil))
        case 3:
            let isActive = random.chance(0.8)
            effects = engine.surroundings(isActive: isActive, now: date)
            model.surround { $0.isActive = isActive }
        case 4:
            let isUp = random.chance(0.2)
            effects = engine.surroundings(isKeyboardUp: isUp, now: date)
            model.surround { $0.isKeyboardUp = isUp }
        case 5:
            guard let asked = model.asked else { return nil }
            let choice = InAppChoice.allCases[random.below(3)]
            effects = engine.answer(choice, for: asked.name, now: date)
            model.answer(choice, now)
        case 6:
            guard let shown = model.shown else { return nil }
            effects = engine.closed(shown, .dismissed, now: date)
            model.shown = nil
            model.wake()
        case 7:
            effects = engine.displayNext(now: date)
            isByHand = true
        default: effects = engine.tick(now: date)
        }
        let (late, asked) = model.look(now, byHand: isByHand)
        return (effects, late, asked)
    }

    @Test(arguments: 0..<60) func `random days with priorities and times agree with the model`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var model = Model(interval: [0, 10, 30][random.below(3)])
        var engine = InAppEngine()
        engine.rules.interval = TimeInterval(model.interval)
        let messages = messages(&random, &model)
        _ = engine.sessionStarted(messages, now: start)
        var now = 0
        var shows: [Int] = []
        for _ in 0..<300 {
            now += random.below(9)
            let before = model.shownAt
            guard let (effects, late, asked) = step(&random, &engine, &model, now) else { continue }
            if model.shownAt != before { shows.append(now) }
            let found = effects.compactMap { if case .ask(let message) = $0 { message.id } else { nil } }
            let gone = effects.compactMap { if case .discarded(let it, .timeout) = $0 { it.id } else { nil } }
            #expect(found == (asked.map { [$0] } ?? []) && gone == late, "seed \(seed) at \(now)")
            #expect(engine.stacked.map(\.id) == model.stack.reversed().map(\.name), "seed \(seed) at \(now)")
            // Everything that happens without an event wakes the driver in time.
            let date = start + TimeInterval(now)
            if let due = model.waiting.map(\.due).min() {
                #expect(engine.wakeAt(after: date).map { $0 <= start + TimeInterval(due) } == true)
            }
        }
        #expect(seed > 0 || !shows.isEmpty)
    }
}
