import Foundation
import Testing

@testable import FanfareKit

/// The behavior of an app that has just started, or has no network.
@Suite struct PhoneColdStartTests {
    private func message(_ id: String, on kind: String, _ more: [String: JSON] = [:]) -> JSON {
        let members: [String: JSON] = [
            "campaign": .string(id), "m": .string(signed("m-\(id)")), "type": .string("modal"),
            "triggers": .array([.object(["on": .string(kind), "name": .string("goal")])]),
        ]
        return .object(members.merging(more) { $1 })
    }

    @Test func `a tap that starts the app sets off what waits for it, once the server has said what there is`()
        async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.offer(
            [message("thanks", on: "push_click", ["triggers": .array([.object(["on": .string("push_click")])])])],
            tag: "\"one\""
        )
        try await rig.kill()
        await rig.phone.responded(.opened, to: try push(["c": "derby", "m": "m1"], aps: ["alert": "x"]))
        #expect(!rig.listener.heard().contains("choose thanks"))
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(rig.listener.heard().contains("choose thanks"))
    }

    @Test func `events right after the start wait for registration and network, and keep their own time`() async throws
    {
        let rig = try PhoneRig()
        await rig.peer.offer(
            [message("late", on: "custom_event", ["timeout": .number(60)]), message("goal", on: "custom_event")],
            tag: "\"one\""
        )
        await rig.phone.becameActive()
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        try await rig.pass(100)
        await rig.phone.happened(.custom("goal"))
        #expect(rig.listener.heard() == ["session started"])
        await rig.peer.be(.away)
        await rig.phone.change { $0.token = token("ab") }
        try await rig.pass(30)
        await rig.peer.be(.well)
        try await rig.pass(60)
        // The first event's message is too late by now; the second event's is not.
        let heard = rig.listener.heard()
        #expect(heard.contains("discard late timeout") && heard.contains("choose goal"), "\(heard)")
    }

    @Test func `a server that is away when the session starts is asked again, and what happened is judged then`()
        async throws
    {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.offer([message("goal", on: "custom_event")], tag: "\"one\"")
        await rig.peer.be(.away)
        await rig.phone.becameActive()
        await rig.phone.happened(.custom("goal"))
        await rig.phone.settled()
        #expect(!rig.listener.heard().contains("choose goal"))
        await rig.peer.be(.well)
        await rig.phone.networkReturned()
        await rig.phone.settled()
        #expect(rig.listener.heard().contains("choose goal"))
    }

    @Test func `a message over the whole screen without a picture is discarded, whoever made it`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.offer([message("full", on: "custom_event", ["type": .string("full")])], tag: "\"one\"")
        await rig.phone.becameActive()
        await rig.phone.happened(.custom("goal"))
        var mine = InAppMessage(id: "mine", header: "Hello")
        mine.layout = .full
        await rig.phone.display(mine)
        await rig.phone.settled()
        let heard = rig.listener.heard().filter { $0.hasPrefix("discard") }
        #expect(heard == ["discard full noImage", "discard mine noImage"])
        #expect(await rig.peer.events.map { $0["reason"]?.string } == ["noImage"])
    }

    // MARK: - Announcements offline

    private func announcement(_ campaign: String) throws -> PushMessage {
        let own: [String: Any] = ["c": campaign, "m": "m-" + campaign, "k": "announcement", "r": campaign]
        return try push(own, aps: ["alert": "x"])
    }

    private let page = Data(#"{"title": "Tickets", "body": "Two left"}"#.utf8)

    @Test func `an announcement tapped off line waits for the network, over a kill, and lets others by`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.serve("one", type: "application/json", page, isCampaigns: true)
        await rig.peer.serve("two", type: "application/json", page, isCampaigns: true)
        _ = await rig.phone.received(try announcement("two"))
        await rig.peer.be(.away)
        _ = rig.listener.heard()
        await rig.phone.responded(.opened, to: try announcement("one"))
        await rig.phone.responded(.opened, to: try announcement("two"))
        await rig.phone.settled()
        let heard = rig.listener.heard().filter { !$0.hasPrefix("content") }
        #expect(heard == ["postponed one", "present two"])
        try await rig.pass(3600)
        #expect(!rig.listener.heard().contains("postponed one"))
        try await rig.kill()
        await rig.peer.be(.well)
        // In the background nobody would see it.
        await rig.phone.networkReturned()
        await rig.phone.settled()
        #expect(!rig.listener.heard().contains("present one"))
        await rig.phone.becameActive()
        await rig.phone.settled()
        #expect(rig.listener.heard().contains("present one"))
        await rig.phone.viewDisplayed(try announcement("one"))
        await rig.phone.viewEnded(try announcement("one"), .exited)
        try await rig.kill()
        let campaignQueue = await rig.phone.campaignQueue
        #expect(campaignQueue.held.isEmpty && campaignQueue.current == nil)
        #expect(await !rig.peer.events.contains { $0["type"]?.string == "dropped" })
    }

    @Test func `one whose campaign ended meanwhile is dropped when the server says so`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.phone.becameActive()
        await rig.peer.be(.away)
        await rig.phone.responded(.opened, to: try announcement("over"))
        await rig.phone.settled()
        await rig.peer.be(.well)
        try await rig.pass(3600)
        #expect(rig.listener.heard().contains("content failed gone"))
        #expect(await rig.peer.events.compactMap { $0["reason"]?.string } == ["NoContent"])
        #expect(await rig.phone.campaignQueue.held.isEmpty)
    }
}
