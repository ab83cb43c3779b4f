import Foundation
import Testing

@testable import FanfareKit

/// In-app messages, announcements and polls on a whole phone.
@Suite struct PhoneInAppTests {
    private func message(_ id: String, _ more: [String: JSON] = [:]) -> JSON {
        var members: [String: JSON] = [
            "campaign": .string(id), "m": .string(signed("m-\(id)")), "type": .string("modal"),
            "triggers": .array([.object(["on": .string("custom_event"), "name": .string("goal")])]),
        ]
        members.merge(more) { $1 }
        return .object(members)
    }

    private func events(_ rig: PhoneRig) async -> [String] {
        await rig.phone.settled()
        return await rig.peer.events.map { event in
            [event["type"], event["surface"], event["action"] ?? event["reason"]].compactMap { $0?.string }
                .joined(separator: " ")
        }
    }

    /// Returns a registered phone in front, offered these messages.
    private func rig(
        _ messages: [JSON],
        listener: RecordingListener = RecordingListener(),
        _ change: (inout FanfareOptions) -> Void = { _ in }
    )
        async throws -> PhoneRig
    {
        let rig = try PhoneRig(listener: listener, change)
        try await rig.register()
        await rig.peer.offer(messages, tag: "\"one\"")
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["session started", "no trigger"])
        return rig
    }

    @Test func `a session asks for messages, one is shown, and its button is told and opened`() async throws {
        let button = JSON.object(["id": .string("buy"), "label": .string("Buy"), "url": .string("app://buy")])
        let rig = try await rig([message("two-left", ["buttons": .array([button])])])
        #expect(await rig.peer.taken("POST", "/v1/sessions").count == 1)
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["choose two-left", "show two-left"])
        await rig.phone.closed("two-left", .button("buy"))
        #expect(rig.listener.heard() == ["open app://buy"])
        #expect(await events(rig) == ["displayed in_app", "actioned in_app buy"])
    }

    @Test func `a session ends after its time-out, and the next one shows the tag of what it has`() async throws {
        let rig = try await rig([message("a")]) { $0.sessionTimeout = 60 }
        _ = await rig.peer.taken("", "")
        await rig.phone.resigned()
        try await rig.pass(59)
        await rig.phone.becameActive()
        await rig.phone.resigned()
        #expect(rig.listener.heard() == [])
        try await rig.pass(61)
        #expect(rig.listener.heard() == ["session ended"])
        await rig.phone.becameActive()
        await rig.phone.settled()
        let asked = await rig.peer.taken("POST", "/v1/sessions")
        #expect(asked.map { $0.headers["if-none-match"] } == ["\"one\""])
        // The messages offered before are there although the server sent nothing new.
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["session started", "no trigger", "choose a", "show a"])
    }

    @Test func `a layout that nobody draws and an asset that fails are dropped with their reasons`() async throws {
        let picture = JSON.string("http://127.0.0.1:9/none.png")
        let rig = try await rig(
            [message("a"), message("b", ["image_url": picture])],
            listener: RecordingListener(draws: false)
        )
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(
            Set(rig.listener.heard()) == ["choose a", "discard a noPresenter", "discard b asset"]
        )
        #expect(Set(await events(rig)) == ["dropped in_app NoPresenter", "dropped in_app asset"])
        #expect(
            rig.listener.logs.contains { $0.contains("no presenter") }
                && rig.listener.logs.contains { $0.contains("none.png") }
        )
    }

    @Test func `a message made on the device is shown and not tracked`() async throws {
        let rig = try await rig([])
        await rig.phone.display(InAppMessage(id: "mine", header: "Hello"))
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["choose mine", "show mine"])
        await rig.phone.closed("mine", .tapped)
        #expect(await events(rig) == [])
    }

    @Test func `what waits is in memory only: an app that ends forgets it`() async throws {
        let rig = try await rig([message("a")], listener: RecordingListener(choice: .later))
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(await rig.phone.engine.stacked.map(\.id) == ["a"])
        try await rig.kill()
        #expect(await rig.phone.engine.stacked.isEmpty)
    }

    @Test func `in the background, under the keyboard and while another shows, a message waits for its place`()
        async throws
    {
        let rig = try await rig([message("a"), message("b")]) { $0.inApp.interval = 0 }
        await rig.phone.surroundings(isKeyboardUp: true)
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(rig.listener.heard() == [])
        await rig.phone.surroundings(isKeyboardUp: false)
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["choose a", "show a"])
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(rig.listener.heard() == [])
        await rig.phone.resigned()
        await rig.phone.closed("a", .dismissed)
        #expect(rig.listener.heard() == [])
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(rig.listener.heard() == ["choose b", "show b"])
    }

    // MARK: - Announcements and polls

    private func announcement(_ campaign: String) throws -> PushMessage {
        try push(["c": campaign, "m": "m-\(campaign)", "k": "announcement", "r": "page"], aps: ["alert": "x"])
    }

    private func tap(_ rig: PhoneRig, _ campaigns: String...) async throws {
        let page = #"{"format": "text", "title": "Tickets", "body": "Two left", "action_url": "app://buy"}"#
        await rig.peer.serve("page", type: "application/json", Data(page.utf8))
        for campaign in campaigns { await rig.phone.responded(.opened, to: try announcement(campaign)) }
        await rig.phone.settled()
    }

    @Test func `one campaign is presented at a time, and each end releases the next`() async throws {
        let rig = try await rig([])
        try await tap(rig, "one", "two", "three")
        #expect(rig.listener.heard().filter { $0.hasPrefix("present") } == ["present one"])
        let one = try announcement("one")
        await rig.phone.viewDisplayed(one)
        await rig.phone.viewActioned(one, button: nil, link: "app://buy")
        await rig.phone.viewEnded(one, .exited)
        await rig.phone.settled()
        #expect(rig.listener.heard().filter { !$0.hasPrefix("content") } == ["open app://buy", "present two"])
        let two = try announcement("two")
        await rig.phone.viewDisplayed(two)
        await rig.phone.viewDisappeared(two)
        try await rig.pass(4.9)
        #expect(rig.listener.heard() == [])
        try await rig.pass(0.2)
        #expect(rig.listener.heard().contains("present three"))
        let told = await events(rig).filter { $0.contains("content") }
        #expect(told == ["displayed content", "actioned content action", "displayed content", "exited content"])
    }

    @Test func `without a presenter, or with a page that cannot be read, a campaign is dropped and logged`()
        async throws
    {
        let rig = try await rig([], listener: RecordingListener(draws: false))
        try await tap(rig, "one")
        #expect(rig.listener.logs.contains { $0.contains("no presenter for a announcement") })
        await rig.peer.serve("page", type: "application/json", Data("[]".utf8))
        await rig.phone.responded(.opened, to: try announcement("two"))
        await rig.phone.settled()
        let told = await events(rig).filter { $0.hasPrefix("dropped") }
        #expect(told == ["dropped content NoPresenter", "dropped content Unreadable"])
        #expect(await rig.phone.campaignQueue.current == nil)
    }
}
