import Testing

@testable import Simulator

@Suite struct DeviceInboxTests {
    private static let now: Int64 = 1_790_000_000_000

    private func message(
        _ id: String,
        key: String? = nil,
        lives: Int64 = 3_600_000,
        at: Int64 = now,
        display: String? = nil,
        isShown: Bool = true
    ) -> PushedMessage {
        PushedMessage(
            id: id,
            expiresAt: at + lives,
            storage: key.map { .replacing($0) } ?? .piling,
            isShown: isShown,
            displayKey: display,
            title: id,
            body: nil
        )
    }

    private func ids(_ delivered: [DeviceInbox.Delivered]) -> [String] { delivered.map(\.message.id) }

    @Test func `a device that is online sees everything at once, and a tag takes the place of itself`() {
        var inbox = DeviceInbox(.fcm, now: Self.now)
        inbox.receive(message("a", display: "score"), now: Self.now)
        inbox.receive(message("b"), now: Self.now)
        inbox.receive(message("c", display: "score"), now: Self.now)
        inbox.receive(message("d", isShown: false), now: Self.now)
        #expect(ids(inbox.shown) == ["b", "c"])
        #expect(ids(inbox.handed) == ["d"])
        #expect(inbox.counts.delivered == 4)
    }

    @Test func `four keys are kept for a device that is away, the newest message of each`() {
        var inbox = DeviceInbox(.fcm, now: Self.now)
        inbox.setOnline(false, now: Self.now)
        for (id, key) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "c"), ("5", "d"), ("6", "e")] {
            inbox.receive(message(id, key: key), now: Self.now)
        }
        #expect(inbox.shown.isEmpty)
        #expect(inbox.waiting.count == 4)
        inbox.setOnline(true, now: Self.now + 1000)
        #expect(ids(inbox.shown) == ["3", "4", "5", "6"])
        #expect(inbox.counts.collapsed == 1)
        #expect(inbox.counts.dropped == 1)
    }

    @Test func `a hundred messages without a key are kept; one more and all are gone, and the app is told`() {
        var inbox = DeviceInbox(.fcm, now: Self.now)
        inbox.setOnline(false, now: Self.now)
        inbox.receive(message("key", key: "k"), now: Self.now)
        for number in 0..<100 { inbox.receive(message("\(number)"), now: Self.now) }
        #expect(inbox.waiting.count == 101)
        inbox.receive(message("100"), now: Self.now)
        #expect(inbox.waiting.count == 1)
        inbox.setOnline(true, now: Self.now)
        #expect(ids(inbox.shown) == ["key"])
        #expect(inbox.counts.dropped == 101)
        #expect(inbox.counts.deletions == 1)
    }

    @Test func `what has expired never comes, and now or never is never stored`() {
        var inbox = DeviceInbox(.fcm, now: Self.now)
        inbox.setOnline(false, now: Self.now)
        inbox.receive(message("never", lives: 0), now: Self.now)
        inbox.receive(message("short", lives: 1000), now: Self.now)
        inbox.receive(message("long", lives: 2000), now: Self.now)
        inbox.setOnline(true, now: Self.now + 1000)
        #expect(ids(inbox.shown) == ["long"])
        #expect(inbox.counts.expired == 2)
        inbox.receive(message("now", lives: 0, at: Self.now + 1000), now: Self.now + 1000)
        #expect(ids(inbox.shown) == ["long", "now"])
    }

    @Test func `twenty collapsible messages come at once, then one every three minutes, the newest of each key`() {
        var inbox = DeviceInbox(.fcm, now: Self.now)
        for number in 0..<22 { inbox.receive(message("\(number)", key: "k"), now: Self.now) }
        inbox.receive(message("plain"), now: Self.now)
        // The 21st was delayed, and the 22nd replaced it; nobody was notified.
        #expect(ids(inbox.shown).suffix(2) == ["19", "plain"])
        #expect(inbox.counts.collapsed == 1)
        inbox.advance(to: Self.now + 179_999)
        #expect(inbox.waiting.count == 1)
        inbox.advance(to: Self.now + 180_000)
        #expect(ids(inbox.shown).last == "21")
        #expect(inbox.shown.last?.at == Self.now + 180_000)
        inbox.receive(message("late", key: "k", lives: 60_000, at: Self.now + 180_000), now: Self.now + 180_000)
        inbox.advance(to: Self.now + 720_000)
        #expect(ids(inbox.shown).last == "21")
        #expect(inbox.counts.expired == 1)
    }

    @Test func `what is shown follows from FCM's message`() throws {
        func made(_ message: String) throws -> PushedMessage {
            let body = #"{"message":{"token":"\#(FCMSample.token)",\#(message)}}"#
            return PushedMessage(try FCMMessage(Array(body.utf8)[...]), id: "x", now: Self.now)
        }
        let notification = try made(#""notification":{"title":"t","body":"b"}"#)
        #expect(notification.storage == .replacing(""))
        #expect(notification.isShown)
        #expect(notification.expiresAt == Self.now + 2_419_200_000)
        let android = #""android":{"ttl":"60s","collapse_key":"k","notification":{"body":"c","tag":"g"}}"#
        let tagged = try made(#""notification":{"title":"t","body":"b"},"# + android)
        #expect(tagged.storage == .replacing("k"))
        #expect(tagged.displayKey == "g")
        #expect(tagged.title == "t")
        #expect(tagged.body == "c")
        #expect(tagged.expiresAt == Self.now + 60_000)
        let data = try made(#""data":{"a":"b"}"#)
        #expect(data.storage == .piling)
        #expect(!data.isShown)
        #expect(try made(#""data":{"a":"b"},"android":{"collapse_key":"k"}"#).storage == .replacing("k"))
    }

    @Test func `APNs stores one notification of an app and merges equal collapse ids on the device`() throws {
        func made(_ changes: [(String, String?)], body: String, id: String) -> PushedMessage {
            var sample = Sample()
            for (name, value) in changes { sample.set(name, value) }
            sample.body = body
            return PushedMessage(sample.request(), id: id, now: Self.now)
        }
        let alert = #"{"aps":{"alert":{"title":"Gol","body":"1–0"}}}"#
        var inbox = DeviceInbox(.apns, now: Self.now)
        inbox.receive(made([], body: alert, id: "1"), now: Self.now)
        inbox.receive(made([], body: alert, id: "2"), now: Self.now)
        #expect(ids(inbox.shown) == ["2"])
        inbox.setOnline(false, now: Self.now)
        inbox.receive(made([("apns-collapse-id", "a")], body: alert, id: "3"), now: Self.now)
        inbox.receive(made([("apns-collapse-id", "b")], body: alert, id: "4"), now: Self.now)
        inbox.receive(made([("apns-expiration", "0")], body: alert, id: "5"), now: Self.now)
        let sport: [(String, String?)] = [("apns-topic", "com.example.sport"), ("apns-collapse-id", nil)]
        let other = made(sport, body: #"{"aps":{"alert":"x"}}"#, id: "6")
        inbox.receive(other, now: Self.now)
        inbox.setOnline(true, now: Self.now + 1000)
        // The app's newest message was "now or never" and replaced nothing.
        #expect(ids(inbox.shown) == ["2", "4", "6"])
        #expect(inbox.shown.last?.message.body == "x")
        #expect(inbox.counts.collapsed == 1)
        #expect(inbox.counts.expired == 1)
        #expect(made([("apns-expiration", nil)], body: alert, id: "7").expiresAt == Self.now + 30 * 86_400_000)
        #expect(!made([], body: #"{"aps":{"content-available":1}}"#, id: "8").isShown)
    }
}
