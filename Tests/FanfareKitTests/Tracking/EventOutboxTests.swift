import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// Events on their way to the server.
@Suite struct EventOutboxTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func event(_ number: Int = 0) -> TrackedEvent {
        TrackedEvent(id: UUID(), messageID: "m\(number)", type: .opened, surface: .system, at: start + Double(number))
    }

    @Test func `events go in order, in batches, one at a time`() throws {
        var outbox = EventOutbox((0..<1200).map(event), isRegistered: true)
        var sent: [String] = []
        while let batch = outbox.next(now: start) {
            #expect(outbox.next(now: start) == nil && batch.count <= 500)
            sent += batch.map(\.messageID)
            #expect(outbox.answered(.taken, now: start, chance: 0) == batch.map(\.id))
        }
        #expect(sent == (0..<1200).map { "m\($0)" } && outbox.events.isEmpty)
    }

    @Test func `nothing goes before the device is registered, and what waited goes then`() {
        var outbox = EventOutbox([event()], isRegistered: false)
        #expect(outbox.next(now: start) == nil && outbox.wakeAt == nil)
        outbox.registered()
        #expect(outbox.next(now: start) != nil)
        #expect(outbox.answered(.notRegistered, now: start, chance: 0) == [])
        #expect(outbox.next(now: start) == nil)
    }

    @Test func `a server that is away is asked again later, and nothing is lost`() {
        var outbox = EventOutbox([event()], isRegistered: true)
        _ = outbox.next(now: start)
        _ = outbox.answered(.unavailable(retryAfter: 60), now: start, chance: 0)
        #expect(outbox.wakeAt == start + 60 && outbox.next(now: start + 59) == nil)
        #expect(outbox.next(now: start + 60) != nil)
        _ = outbox.answered(.unavailable(retryAfter: nil), now: start + 60, chance: 0)
        outbox.networkReturned()
        #expect(outbox.next(now: start + 60) != nil)
    }

    @Test(arguments: [true, false]) func `one event that the server never takes holds no other up`(saysWhich: Bool) {
        let events = (0..<100).map(event)
        var outbox = EventOutbox(events, isRegistered: true)
        var taken: [String] = []
        var requests = 0
        while let batch = outbox.next(now: start), requests < 100 {
            requests += 1
            let bad = batch.firstIndex { $0.messageID == "m37" }
            if bad == nil { taken += batch.map(\.messageID) }
            let answer: EventOutbox.Answer = bad.map { .refused(index: saysWhich ? $0 : nil, reason: "bad") } ?? .taken
            _ = outbox.answered(answer, now: start, chance: 0)
        }
        #expect(outbox.events.isEmpty && Set(taken) == Set(events.map(\.messageID)).subtracting(["m37"]))
        #expect(taken.count == 99)
    }

    @Test func `an app that is killed at any moment tells every event, and none but those twice`() throws {
        var random = SeededRandom(seed: 7)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        var (noted, arrived): ([UUID], [UUID]) = ([], [])
        for life in 0..<50 {
            let journal = EventJournal(url)
            var outbox = EventOutbox(journal.read(), isRegistered: true)
            for number in 0..<random.below(40) {
                let event = event(number)
                try journal.note(event)
                _ = outbox.add(event)
                noted.append(event.id)
            }
            while random.chance(0.5), let batch = outbox.next(now: start) {
                arrived += batch.map(\.id)
                // Sometimes killed between the server's answer and its record.
                guard random.chance(0.7) else { break }
                try journal.finish(outbox.answered(.taken, now: start, chance: 0), rest: outbox.events)
            }
            // And in the middle of a line.
            if life % 5 == 0 {
                let file = try FileHandle(forWritingTo: url)
                try file.seekToEnd()
                try file.write(contentsOf: Data(#"{"event":{"id":"#.utf8))
                try file.close()
            }
        }
        let journal = EventJournal(url)
        var outbox = EventOutbox(journal.read(), isRegistered: true)
        while let batch = outbox.next(now: start) {
            arrived += batch.map(\.id)
            try journal.finish(outbox.answered(.taken, now: start, chance: 0), rest: outbox.events)
        }
        #expect(Set(arrived) == Set(noted) && !noted.isEmpty)
        #expect(journal.read().isEmpty)
    }

    @Test func `an event is one line of JSON as the server takes it`() throws {
        var event = TrackedEvent(
            id: try #require(UUID(uuidString: "0F3A1B7E-0000-4000-8000-000000000001")),
            messageID: "AAAAAQAAAAIAAAAAAAAAAA",
            type: .actioned,
            surface: .inApp,
            at: try #require(InstantText.date("2026-11-20T20:50:00.250Z"))
        )
        event.action = "LIKE"
        let text = String(decoding: try TrackedEvent.encoder.encode(event), as: UTF8.self)
        #expect(
            text == #"{"action":"LIKE","at":"2026-11-20T20:50:00.250Z","id":"0F3A1B7E-0000-4000-8000-000000000001","#
                + #""m":"AAAAAQAAAAIAAAAAAAAAAA","surface":"in_app","type":"actioned"}"#
        )
        #expect(try TrackedEvent.decoder.decode(TrackedEvent.self, from: Data(text.utf8)) == event)
        #expect(InstantText.date("2026-11-20T20:50:00Z") != nil && InstantText.date("yesterday") == nil)
    }
}
