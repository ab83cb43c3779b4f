import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// Events of an offline phone, on their way to the server.
@Suite struct OfflineDayTests {
    /// Delivers a push's next event as the system does; one event each.
    private func happen(_ number: Int, on phone: Phone) async throws {
        let push = try push(["v": 1, "c": "c\(number % 7)", "m": "m\(number)"], aps: ["alert": "Goal"])
        switch number % 4 {
        case 0: _ = await phone.received(push)
        case 1: _ = await phone.displayed(push)
        case 2: await phone.responded(.opened, to: push)
        default: await phone.responded(.action("LIKE"), to: push)
        }
    }

    /// Returns the message id of the push with that number.
    private static func signedOne(_ number: Int) -> String { signed("m\(number)", of: "c\(number % 7)") }

    /// Truncates the journal somewhere in its last line, as when the app is killed while writing.
    private func cut(_ journal: URL, _ random: inout SeededRandom) throws {
        let data = try Data(contentsOf: journal)
        let lastLine = try #require(data.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        let end = lastLine + random.below(data.count - lastLine)
        try data.prefix(end).write(to: journal)
    }

    @Test(arguments: 0..<3) func `offline for a day, 500 events, killed twice in between: all arrive once`(
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let peer = Peer(seed: UInt64(seed))
        let rig = try PhoneRig(peer)
        try await rig.register()
        await peer.be(.away)
        // The app is killed twice while it writes an event, which was not confirmed, so the event happens again.
        let kills = [50 + random.below(150), 250 + random.below(200)]
        for number in 0..<500 {
            try await rig.pass(TimeInterval(random.below(345)))
            try await happen(number, on: rig.phone)
            guard kills.contains(number) else { continue }
            let before = await rig.phone.waitingEvents
            try await rig.kill { try cut(rig.journal, &random) }
            // Unless the whole line except its end was written.
            if await rig.phone.waitingEvents < before { try await happen(number, on: rig.phone) }
        }
        #expect(await rig.phone.waitingEvents == 500)
        #expect(await peer.counted.isEmpty)
        let noted = await rig.phone.outbox.events.map(\.id.uuidString)
        #expect(Set(noted).count == 500)

        // Online again: the app is killed while the server accepts the first batch; later ones cross a bad network.
        await peer.be(.neverAnswers)
        await rig.phone.networkReturned()
        while await peer.counted.isEmpty { await Task.yield() }
        await peer.be(.moody)
        try await rig.kill()
        try await rig.pass(86_400)
        await peer.be(.well)
        try await rig.pass(3600)

        #expect(await rig.phone.waitingEvents == 0 && EventJournal(rig.journal).read().isEmpty)
        let counted = await peer.counted
        #expect(Set(counted.keys) == Set(noted) && counted.count == 500)
        // Some came more than once, which is why they have ids.
        #expect(counted.values.contains { $0 > 1 })
        #expect(await peer.events.compactMap { $0["m"]?.string } == (0..<500).map(Self.signedOne))
    }

    @Test func `a journal that is cut at any byte has every event whose line is whole, and takes new ones`()
        async throws
    {
        let rig = try PhoneRig()
        for number in 0..<3 { try await happen(number, on: rig.phone) }
        let whole = try Data(contentsOf: rig.journal)
        let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }
        for end in 0...whole.count {
            try await rig.kill { try whole.prefix(end).write(to: rig.journal) }
            // A line is complete with its last brace; its line end may be missing.
            let kept = ends.count { $0 <= end }
            #expect(await rig.phone.waitingEvents == kept, "\(end)")
            try await happen(9, on: rig.phone)
            try await rig.kill()
            let names = await rig.phone.outbox.events.map(\.messageID)
            #expect(names == (0..<kept).map(Self.signedOne) + [Self.signedOne(9)], "\(end)")
        }
    }

    @Test func `a poll's answers wait for the network too, over a kill, and are sent until they are taken`()
        async throws
    {
        let peer = Peer()
        let rig = try PhoneRig(peer)
        try await rig.register()
        await peer.serve("who", type: "application/json", Data(pollText.utf8), isCampaigns: true)
        let poll = try push(["c": "who", "m": "m1", "k": "poll", "r": "who", "t": "poll"], aps: ["alert": "Who?"])
        await rig.phone.responded(.opened, to: poll)
        await rig.phone.settled()
        #expect(rig.listener.heard().contains("present who"))
        await peer.be(.away)
        await rig.phone.viewDisplayed(poll)
        await rig.phone.answered(poll, ["q": ["a"]])
        try await rig.pass(3600)
        try await rig.kill()
        _ = await peer.taken("", "")
        await peer.be(.losesAnswers)
        await rig.phone.networkReturned()
        await rig.phone.settled()
        await peer.be(.well)
        try await rig.pass(3600)
        let sent = await peer.taken("POST", "/v1/polls/who/answers")
        let bodies = try sent.map { try JSONDecoder().decode(JSON.self, from: try #require($0.body)) }
        #expect(bodies.count == 2 && Set(bodies).count == 1)
        #expect(await rig.phone.answerBox.waiting.isEmpty)
        #expect(await peer.events.map { $0["type"]?.string } == ["opened", "displayed"])
    }

    private let pollText = """
        {"title": "Who?", "questions": [{"id": "q", "title": "Who?", "select": "one", "choices": [{"id": "a", "title": "A"}]}]}
        """
}
