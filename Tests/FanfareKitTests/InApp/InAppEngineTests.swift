import Foundation
import Testing

@testable import FanfareKit

/// The choice of a message and the time at which it appears.
@Suite struct InAppEngineTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func message(
        _ id: String,
        on triggers: [Trigger] = [Trigger(.customEvent, name: "goal")],
        _ change: (inout InAppMessage) -> Void = { _ in }
    ) -> InAppMessage {
        var message = InAppMessage(id: id, messageID: "signed-\(id)")
        message.triggers = triggers
        change(&message)
        return message
    }

    /// Returns an engine with these messages, with the app in front.
    private func engine(_ messages: [InAppMessage]) -> InAppEngine {
        var engine = InAppEngine()
        _ = engine.surroundings(isActive: true, now: start)
        _ = engine.sessionStarted(messages, now: start)
        return engine
    }

    private func asked(_ effects: [InAppEngine.Effect]) -> [String] {
        effects.compactMap { if case .ask(let message) = $0 { message.id } else { nil } }
    }

    private func discarded(_ effects: [InAppEngine.Effect]) -> [InAppDiscardReason] {
        effects.compactMap { if case .discarded(_, let reason) = $0 { reason } else { nil } }
    }

    /// Lets the requested message be shown and closes it.
    private func showAndClose(_ engine: inout InAppEngine, _ id: String, at now: Date) {
        _ = engine.answer(.now, for: id, now: now)
        _ = engine.closed(id, .dismissed, now: now)
    }

    @Test func `of several that an event sets off, the one with the highest priority appears`() {
        let messages = [message("low"), message("high") { $0.priority = 5 }, message("also-high") { $0.priority = 5 }]
        var engine = engine(messages)
        #expect(asked(engine.happened(.custom("goal"), now: start)) == ["high"])
        // The others were not triggered, and the next event finds them.
        showAndClose(&engine, "high", at: start)
        #expect(engine.stacked.isEmpty)
        #expect(asked(engine.happened(.custom("goal"), now: start + 30)) == ["also-high"])
    }

    @Test func `at most one appears in 30 seconds, and the stack gives the newest first`() {
        var engine = engine([message("one"), message("two"), message("three")])
        #expect(asked(engine.happened(.custom("goal"), now: start)) == ["one"])
        showAndClose(&engine, "one", at: start)
        #expect(asked(engine.happened(.custom("goal"), now: start + 5)) == [])
        #expect(asked(engine.happened(.custom("goal"), now: start + 6)) == [])
        #expect(engine.stacked.map(\.id) == ["three", "two"])
        #expect(engine.wakeAt(after: start + 6) == start + 30)
        #expect(asked(engine.tick(now: start + 29.9)) == [])
        #expect(asked(engine.tick(now: start + 30)) == ["three"])
        showAndClose(&engine, "three", at: start + 31)
        #expect(asked(engine.tick(now: start + 61)) == ["two"])
    }

    @Test func `an event that sets nothing off is told`() {
        var engine = engine([message("one")])
        #expect(engine.happened(.custom("foul"), now: start) == [.noMatchingTrigger(.custom("foul"))])
    }

    @Test func `the interval is the app's to set, and displayNext does not wait for it`() {
        var engine = engine([message("one"), message("two")])
        engine.rules.interval = 5
        _ = engine.happened(.custom("goal"), now: start)
        showAndClose(&engine, "one", at: start)
        _ = engine.happened(.custom("goal"), now: start + 1)
        #expect(asked(engine.displayNext(now: start + 2)) == ["two"])
        showAndClose(&engine, "two", at: start + 2)
        #expect(engine.displayNext(now: start + 3) == [])
    }

    @Test func `in the background, under the keyboard or behind another it waits on the stack`() {
        for obstacle in 0..<3 {
            var engine = engine([message("one"), message("two")])
            switch obstacle {
            case 0: _ = engine.surroundings(isActive: false, now: start)
            case 1: _ = engine.surroundings(isKeyboardUp: true, now: start)
            default:
                #expect(asked(engine.display(InAppMessage(id: "mine"), now: start)) == ["mine"])
                _ = engine.answer(.now, for: "mine", now: start)
            }
            #expect(asked(engine.happened(.custom("goal"), now: start + 40)) == [])
            #expect(engine.stacked.map(\.id) == ["one"])
            let freed =
                switch obstacle {
                case 0: engine.surroundings(isActive: true, now: start + 41)
                case 1: engine.surroundings(isKeyboardUp: false, now: start + 41)
                default: engine.closed("mine", .dismissed, now: start + 41)
                }
            #expect(asked(freed) == ["one"])
        }
    }

    @Test func `a delegate says now, later or discard`() {
        var engine = engine([message("one")])
        _ = engine.happened(.custom("goal"), now: start)
        #expect(asked(engine.answer(.later, for: "one", now: start)) == [])
        #expect(engine.stacked.map(\.id) == ["one"])
        // Not repeatedly: only when something changes.
        #expect(asked(engine.tick(now: start + 100)) == [])
        _ = engine.surroundings(isActive: false, now: start + 101)
        #expect(asked(engine.surroundings(isActive: true, now: start + 102)) == ["one"])
        _ = engine.answer(.later, for: "one", now: start + 102)
        #expect(asked(engine.displayNext(now: start + 103)) == ["one"])
        #expect(
            engine.answer(.discard, for: "one", now: start + 103).contains(.discarded(engine.message("one"), .delegate))
        )
        #expect(engine.stacked.isEmpty)
        // An answer to a question that nobody asked.
        #expect(engine.answer(.now, for: "one", now: start + 104) == [])
    }

    @Test func `a delegate that thinks until the app is in the background has the message put back`() {
        var engine = engine([message("one")])
        _ = engine.happened(.custom("goal"), now: start)
        _ = engine.surroundings(isActive: false, now: start + 1)
        #expect(engine.answer(.now, for: "one", now: start + 2) == [])
        #expect(asked(engine.surroundings(isActive: true, now: start + 3)) == ["one"])
    }

    @Test func `assets are loaded at session start, and a message waits for its own`() throws {
        let picture = try #require(URL(string: "https://cdn.example.com/a.jpg"))
        let pictured = message("one") { $0.image = picture }
        var engine = InAppEngine()
        _ = engine.surroundings(isActive: true, now: start)
        #expect(engine.sessionStarted([pictured], now: start).contains(.preload(id: "one", [picture])))
        #expect(asked(engine.happened(.custom("goal"), now: start)) == [])
        #expect(asked(engine.loaded("one", now: start + 2)) == ["one"])

        var other = InAppEngine()
        _ = other.surroundings(isActive: true, now: start)
        _ = other.sessionStarted([pictured], now: start)
        _ = other.happened(.custom("goal"), now: start)
        #expect(discarded(other.failedToLoad("one", now: start + 1)) == [.asset])
    }

    @Test func `it comes after its delay, and not at all after its time-out`() {
        let slow = message("one") { ($0.delay, $0.timeout) = (10, 20) }
        var engine = engine([slow])
        #expect(asked(engine.happened(.custom("goal"), now: start)) == [])
        #expect(engine.wakeAt(after: start) == start + 10)
        #expect(asked(engine.tick(now: start + 9)) == [])
        #expect(asked(engine.tick(now: start + 10)) == ["one"])

        var away = self.engine([slow])
        _ = away.happened(.custom("goal"), now: start)
        _ = away.surroundings(isActive: false, now: start + 1)
        _ = away.tick(now: start + 12)
        #expect(away.wakeAt(after: start + 12) == start + 20)
        #expect(discarded(away.surroundings(isActive: true, now: start + 20)) == [.timeout])
    }

    @Test func `a message that does not fit how the screen is held, or lacks its only picture, is gone`() {
        var engine = engine([message("wide") { $0.orientation = .landscape }])
        #expect(discarded(engine.happened(.custom("goal"), now: start)) == [.orientation])
        _ = engine.surroundings(orientation: .landscape, now: start)
        #expect(asked(engine.happened(.custom("goal"), now: start)) == ["wide"])

        var picture = self.engine([message("picture") { $0.isImageOnly = true }])
        #expect(discarded(picture.happened(.custom("goal"), now: start)) == [.noImage])
    }

    @Test func `a message goes when its duration is over, and that is a dismissal`() {
        let brief = message("one") { $0.duration = 5 }
        var engine = engine([brief])
        _ = engine.happened(.custom("goal"), now: start)
        #expect(engine.answer(.now, for: "one", now: start) == [.show(brief)])
        #expect(engine.drawn("one", now: start) == [.displayed(brief)])
        #expect(engine.drawn("one", now: start) == [], "displayed once")
        #expect(engine.wakeAt(after: start) == start + 5)
        #expect(engine.tick(now: start + 5) == [.hide(brief), .closed(brief, .dismissed)])
        #expect(engine.closed("one", .dismissed, now: start + 6) == [])
    }

    @Test func `shown once is shown for ever, unless it may repeat after a while`() {
        var engine = engine([message("once"), message("again", on: [Trigger(.anyPurchase)]) { $0.repeatAfter = 60 }])
        _ = engine.happened(.custom("goal"), now: start)
        showAndClose(&engine, "once", at: start)
        #expect(engine.happened(.custom("goal"), now: start + 1000) == [.noMatchingTrigger(.custom("goal"))])
        let purchase = AppEvent.purchase("pass", price: 1, currency: "EUR")
        #expect(asked(engine.happened(purchase, now: start + 1000)) == ["again"])
        showAndClose(&engine, "again", at: start + 1000)
        #expect(asked(engine.happened(purchase, now: start + 1059)) == [])
        #expect(asked(engine.happened(purchase, now: start + 1060)) == ["again"])
    }

    @Test func `before its start and from its end on a message is not there`() {
        var engine = engine([message("one") { ($0.startsAt, $0.endsAt) = (start + 10, start + 20) }])
        #expect(asked(engine.happened(.custom("goal"), now: start + 9)) == [])
        #expect(asked(engine.happened(.custom("goal"), now: start + 10)) == ["one"])
        _ = engine.answer(.later, for: "one", now: start + 11)
        #expect(discarded(engine.displayNext(now: start + 20)) == [.ended])
    }

    @Test func `a new session takes what the server does not offer any more, and leaves what the app made`() {
        var engine = engine([message("one")])
        _ = engine.surroundings(isActive: false, now: start)
        _ = engine.happened(.custom("goal"), now: start)
        _ = engine.display(InAppMessage(id: "mine"), now: start)
        #expect(engine.stacked.map(\.id) == ["mine", "one"])
        #expect(discarded(engine.sessionStarted([], now: start + 1)) == [.ended])
        #expect(engine.stacked.map(\.id) == ["mine"])
    }

    @Test func `a layout that nobody draws is gone, and blocks nothing`() {
        var engine = engine([message("one"), message("two")])
        _ = engine.happened(.custom("goal"), now: start)
        _ = engine.happened(.custom("goal"), now: start)
        _ = engine.answer(.now, for: "one", now: start)
        let effects = engine.hasNoPresenter("one", now: start)
        #expect(discarded(effects) == [.noPresenter] && asked(effects) == ["two"])
    }
}

extension InAppEngine {
    /// Returns a message like the tests' own.
    fileprivate func message(_ id: String) -> InAppMessage {
        var message = InAppMessage(id: id, messageID: "signed-\(id)")
        message.triggers = [Trigger(.customEvent, name: "goal")]
        return message
    }
}
