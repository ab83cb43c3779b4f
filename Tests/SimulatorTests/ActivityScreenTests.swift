import Testing

@testable import Simulator

/// The screen of a phone with a Live Activity, and the messages that came for it.
@Suite struct ActivityScreenTests {
    private static let now: Int64 = 1_790_000_000_000

    private func pushed(_ event: String, at timestamp: Int64, _ state: String?) -> PushedMessage {
        var sample = Sample()
        sample.set("apns-push-type", "liveactivity")
        sample.set("apns-topic", "com.example.news.push-type.liveactivity")
        let rest = state.map { #","content-state":\#($0),"alert":"Gol""# } ?? ""
        sample.body = #"{"aps":{"event":"\#(event)","timestamp":\#(timestamp)\#(rest)}}"#
        return PushedMessage(sample.request(), id: "\(timestamp)", now: Self.now)
    }

    @Test func `the newest state is shown, and what came is kept in the order of arrival`() {
        var inbox = DeviceInbox(.apns, now: Self.now)
        #expect(inbox.activity == nil && !DeviceView(inbox).json.contains("activity"))
        inbox.receive(pushed("update", at: 10, #"{"home":1,"away":0}"#), now: Self.now)
        inbox.receive(pushed("update", at: 30, #"{"home":2}"#), now: Self.now)
        inbox.receive(pushed("update", at: 20, #"{"home":1}"#), now: Self.now)
        #expect(inbox.activity?.arrived.map(\.timestamp) == [10, 30, 20])
        #expect(inbox.activity?.arrived.first?.state == #"{"away":0,"home":1}"#, "members in the order of their names")
        #expect(inbox.activity?.shown?.state == #"{"home":2}"#)
        inbox.receive(pushed("update", at: 30, #"{"home":3}"#), now: Self.now)
        inbox.receive(pushed("end", at: 40, nil), now: Self.now)
        #expect(inbox.activity?.arrived.last?.event == "end")
        #expect(inbox.activity?.shown?.state == #"{"home":3}"#, "an end without a state leaves the last one")
        // It is no notification, and the app gets nothing.
        #expect(inbox.shown.isEmpty && inbox.handed.isEmpty && inbox.counts.delivered == 5)
        let shown = #""activity":{"shown":{"event":"update","timestamp":30,"state":{"home":3}},"arrived":[{"#
        #expect(DeviceView(inbox).json.contains(shown), "\(DeviceView(inbox).json)")
    }

    @Test func `a phone that was away gets the last state, and no more than two hundred messages are kept`() {
        var inbox = DeviceInbox(.apns, now: Self.now)
        inbox.setOnline(false, now: Self.now)
        for number in 1...3 { inbox.receive(pushed("update", at: Int64(number), "{}"), now: Self.now) }
        #expect(inbox.activity == nil)
        inbox.setOnline(true, now: Self.now)
        #expect(inbox.activity?.arrived.map(\.timestamp) == [3])
        for number in 4...300 { inbox.receive(pushed("update", at: Int64(number), "{}"), now: Self.now) }
        #expect(inbox.activity?.arrived.count == 200 && inbox.activity?.shown?.timestamp == 300)
    }
}
