import Foundation
import Testing

@testable import FanfareKit

/// Campaigns shown inside the app, on a whole phone.
@Suite struct PhoneNotificationTests {
    private func events(_ rig: PhoneRig) async -> [String] {
        await rig.phone.settled()
        return await rig.peer.events.map { event in
            [event["type"], event["surface"], event["action"] ?? event["reason"]].compactMap { $0?.string }
                .joined(separator: " ")
        }
    }

    /// Returns a registered phone in front.
    private func rig(_ notifies: NotifierAnswer = .drawn, besides: [String: JSON] = [:]) async throws -> PhoneRig {
        let rig = try PhoneRig(listener: RecordingListener(notifies: notifies))
        try await rig.register()
        await rig.peer.offer([], tag: "\"one\"", besides: besides)
        await rig.phone.becameActive()
        await rig.phone.settled()
        return rig
    }

    private func told(_ rig: PhoneRig) -> [String] { rig.listener.heard().filter { $0.hasPrefix("tell") } }

    private func shown(_ campaign: String, _ more: [String: Any] = [:]) throws -> PushMessage {
        let own: [String: Any] = ["c": campaign, "m": "m-" + campaign, "u": "app://" + campaign]
        return try push(own.merging(more) { $1 }, aps: ["alert": "x", "badge": 1])
    }

    private func offered(_ campaigns: String..., until end: String? = nil) -> [String: JSON] {
        let all = campaigns.map { campaign in
            var members: [String: JSON] = [
                "fanfare": .object(["v": .number(1), "c": .string(campaign), "m": .string(signed("m-" + campaign))]),
                "title": .string("Derby"), "body": .string("Kick-off"), "category": .string("offers"),
            ]
            members["expires_at"] = end.map(JSON.string)
            return JSON.object(members)
        }
        return ["notifications": .array(all)]
    }

    @Test func `a push in front is told of inside the app, its banner stays away, and a tap opens its link`()
        async throws
    {
        let rig = try await rig()
        let push = try shown("derby")
        #expect(await rig.phone.received(push) == .noData)
        #expect(await rig.phone.displayed(push) == [.sound, .badge])
        await rig.phone.settled()
        #expect(told(rig) == ["tell derby"])
        // The system delivers it twice: the person sees it once.
        #expect(await rig.phone.displayed(push) == [.sound, .badge])
        await rig.phone.notificationActioned(push, button: nil)
        await rig.phone.notificationEnded(push, .exited)
        #expect(rig.listener.heard() == ["open app://derby"])
        #expect(await events(rig) == ["received system", "displayed in_app", "actioned in_app action"])
    }

    @Test func `behind, without a notifier, silently or for the system only, the system shows it`() async throws {
        let rig = try await rig()
        let forSystem = try shown("system", ["s": "system"])
        #expect(await rig.phone.displayed(forSystem) == .all)
        #expect(await rig.phone.displayed(try shown("native", ["k": "native"])) == .all)
        await rig.phone.resigned()
        #expect(await rig.phone.displayed(try shown("behind")) == .all)
        #expect(told(rig) == [])
        #expect(await events(rig) == Array(repeating: "displayed system", count: 3))
        let bare = try await self.rig(.nobody)
        #expect(await bare.phone.displayed(try shown("derby")) == .all)
        #expect(await events(bare) == ["displayed system"] && told(bare) == [])
    }

    @Test(arguments: [
        (NotifierAnswer.declined, "Declined"), (.failed("no view"), "NotifierFailed"),
    ])
    func `a notifier that declines or fails is a drop, and nothing else is shown`(
        answer: NotifierAnswer,
        reason: String
    ) async throws {
        let rig = try await rig(answer)
        let push = try shown("derby")
        #expect(await rig.phone.displayed(push) == [.sound, .badge])
        #expect(await events(rig) == ["dropped in_app \(reason)"])
        #expect(await rig.phone.displayed(push) == [.sound, .badge])
        #expect(await events(rig).count == 1 && told(rig) == ["tell derby"])
    }

    @Test func `a session's campaigns are told of one after the other, and once, whatever is answered again`()
        async throws
    {
        let rig = try await rig(besides: offered("one", "two"))
        #expect(told(rig) == ["tell one"])
        let one = try #require(await rig.phone.notificationQueue.current)
        #expect(one.title == "Derby" && one.body == "Kick-off" && one.category == "offers")
        await rig.phone.notificationEnded(one, .exited)
        await rig.phone.settled()
        #expect(told(rig) == ["tell two"])
        // Killed while the second is on the screen: the next session brings both again.
        try await rig.kill()
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(told(rig) == [])
        #expect(await events(rig) == ["displayed in_app", "exited in_app", "displayed in_app"])
    }

    @Test func `what is over, or was told of by the system, a session does not tell of`() async throws {
        let rig = try PhoneRig(listener: RecordingListener(notifies: .drawn))
        try await rig.register()
        _ = await rig.phone.received(try shown("seen"))
        await rig.peer.offer([], tag: "\"one\"", besides: offered("seen", until: "2100-01-01T00:00:00Z"))
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(told(rig) == [])
        await rig.phone.resigned()
        try await rig.pass(100)
        await rig.peer.offer([], tag: "\"two\"", besides: offered("late", until: "2020-01-01T00:00:00Z"))
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(told(rig) == [])
    }

    @Test func `one that waits behind another is told of after a kill, on the next start in front`() async throws {
        let rig = try await rig()
        _ = await rig.phone.displayed(try shown("one"))
        await rig.phone.settled()
        #expect(await rig.phone.displayed(try shown("two")) == [.sound, .badge])
        await rig.phone.settled()
        #expect(told(rig) == ["tell one"])
        try await rig.kill()
        #expect(told(rig) == [])
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(told(rig) == ["tell two"])
    }

    @Test func `an announcement that is tapped inside the app is presented, and the next one waits for its end`()
        async throws
    {
        let rig = try await rig()
        await rig.peer.serve(
            "page",
            type: "application/json",
            Data(#"{"title": "T", "body": "B"}"#.utf8),
            isCampaigns: true
        )
        let page = try shown("page", ["k": "announcement", "r": "page"])
        _ = await rig.phone.displayed(page)
        _ = await rig.phone.displayed(try shown("next"))
        await rig.phone.settled()
        await rig.phone.notificationActioned(page, button: nil)
        await rig.phone.settled()
        let heard = rig.listener.heard()
        #expect(heard.contains("present page") && !heard.contains("tell next"))
        await rig.phone.viewDisplayed(page)
        await rig.phone.viewEnded(page, .exited)
        await rig.phone.settled()
        #expect(told(rig) == ["tell next"])
        #expect(
            await events(rig) == [
                "displayed in_app", "actioned in_app action", "displayed content", "exited content", "displayed in_app",
            ]
        )
    }

    // MARK: - Drawers and positions

    @MainActor private final class Banner: InAppNotifier {
        var shown: [String] = []
        func show(_ notification: InAppNotification) throws -> Bool {
            shown.append("\(notification.id) \(notification.place)")
            return true
        }
        func hide(_ notification: InAppNotification) {}
    }

    @Test @MainActor func `a place is below, above when it is told so, or the app's own view while that is there`() {
        let presenters = Presenters()
        #expect(presenters.notificationPlace == .overlay(.bottom))
        presenters.notificationPosition = .top
        #expect(presenters.notificationPlace == .overlay(.top))
        presenters.offerArea("news")
        presenters.offerArea("match")
        #expect(presenters.notificationPlace == .area("match"))
        presenters.withdrawArea("match")
        presenters.withdrawArea("nothing")
        #expect(presenters.notificationPlace == .area("news"))
        presenters.withdrawArea("news")
        #expect(presenters.notificationPlace == .overlay(.top))
    }

    @Test @MainActor
    func `the category for layout picks the notifier, without one that of the buttons, and then all others'`()
        throws
    {
        let presenters = Presenters()
        let (offers, likes, rest) = (Banner(), Banner(), Banner())
        (presenters.notifiers["offers"], presenters.notifiers["LIKE"]) = (offers, likes)
        func notifier(_ layout: String?, _ category: String?) throws -> (any InAppNotifier)? {
            var (own, aps): ([String: Any], [String: Any]) = (["c": "d"], ["alert": "x"])
            own["l"] = layout
            aps["category"] = category
            return presenters.notifier(try push(own, aps: aps))
        }
        #expect(try notifier("offers", "LIKE") === offers && notifier(nil, "LIKE") === likes)
        #expect(try notifier("other", "LIKE") == nil && notifier(nil, nil) == nil)
        presenters.notifiers[""] = rest
        #expect(try notifier("other", "LIKE") === rest && notifier(nil, nil) === rest)
    }
}
