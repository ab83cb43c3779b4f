import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// The stack and the interval, compared with a second, naive implementation.
@Suite struct InAppModelTests {
    /// The messages on the stack and on the screen, as arrays of names with a clock in seconds.
    private struct Model {
        var stack: [(name: String, isPostponed: Bool)] = []
        var asked: String?
        var shown: String?
        var shownAt = -1_000_000
        var seen: Set<String> = []
        var isFree = false
        let interval: Int

        /// Returns the name of the requested message; nil for none.
        mutating func next(_ now: Int, byHand: Bool = false) -> String? {
            guard isFree, asked == nil, shown == nil, byHand || now >= shownAt + interval else { return nil }
            guard let entry = stack.last(where: { byHand || !$0.isPostponed }) else { return nil }
            stack.removeAll { $0.name == entry.name }
            asked = entry.name
            return entry.name
        }

        mutating func wake() { stack = stack.map { ($0.name, false) } }

        func isKnown(_ name: String) -> Bool {
            stack.contains { $0.name == name } || asked == name || shown == name || seen.contains(name)
        }
    }

    @Test(arguments: 0..<200) func `random days in an app agree with the model at every step`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let names = (0..<12).map { "m\($0)" }
        let messages = names.map { name in
            var message = InAppMessage(id: name, messageID: "s" + name)
            message.triggers = [Trigger(.customEvent, name: name)]
            return message
        }
        let interval = [0, 10, 30][random.below(3)]
        var engine = InAppEngine()
        engine.rules.interval = TimeInterval(interval)
        var model = Model(interval: interval)
        var now = 0
        func date() -> Date { Date(timeIntervalSinceReferenceDate: TimeInterval(now)) }
        _ = engine.sessionStarted(messages, now: date())

        for _ in 0..<200 {
            now += random.below(12)
            var effects: [InAppEngine.Effect]
            var expected: String?
            switch random.below(7) {
            case 0, 1:
                let name = names[random.below(names.count)]
                effects = engine.happened(.custom(name), now: date())
                if !model.isKnown(name) { model.stack.append((name, false)) }
                expected = model.next(now)
            case 2:
                let isFree = random.chance(0.7)
                effects = engine.surroundings(isActive: isFree, now: date())
                if isFree, !model.isFree { model.wake() }
                model.isFree = isFree
                expected = model.next(now)
            case 3:
                guard let name = model.asked else { continue }
                let choice = InAppChoice.allCases[random.below(3)]
                effects = engine.answer(choice, for: name, now: date())
                model.asked = nil
                switch choice {
                case .now where model.isFree: (model.shown, model.shownAt) = (name, now)
                case .now: model.stack.append((name, false))
                case .later: model.stack.append((name, true))
                case .discard: break
                }
                if model.shown == name { model.seen.insert(name) }
                expected = model.next(now)
            case 4:
                guard let name = model.shown else { continue }
                effects = engine.closed(name, .dismissed, now: date())
                model.shown = nil
                model.wake()
                expected = model.next(now)
            case 5:
                effects = engine.displayNext(now: date())
                expected = model.next(now, byHand: true)
            default:
                effects = engine.tick(now: date())
                expected = model.next(now)
            }
            let asked = effects.compactMap { if case .ask(let message) = $0 { message.id } else { nil } }
            #expect(asked == (expected.map { [$0] } ?? []), "seed \(seed) at \(now)")
            #expect(engine.stacked.map(\.id) == model.stack.reversed().map(\.name), "seed \(seed) at \(now)")
        }
    }
}
