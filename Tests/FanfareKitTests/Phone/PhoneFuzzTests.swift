import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// No external input traps or blocks anything.
@Suite struct PhoneFuzzTests {
    private let names = [
        "aps", "fanfare", "c", "m", "k", "u", "r", "t", "i", "a", "d", "e", "g", "alert", "category", "title", "body",
        "content-available", "questions", "choices", "id", "format", "messages", "triggers", "on", "where", "type",
        "campaign", "delay", "timeout", "priority", "duration", "starts_at", "select", "buttons", "extras", "op",
    ]
    private let texts = [
        "derby", "data_push", "announcement", "poll", "base64", "\u{0}", "https://", "https://a/b", "{\"c\":\"d\"}", "",
        "html", "modal", "custom_event", "session_start", "goal", "regex", "(((", "2026-11-20T20:50:00Z", "\u{1F600}",
        "1e999",
    ]

    private func value(_ random: inout SeededRandom, _ depth: Int) -> Any {
        switch random.below(depth > 30 ? 6 : 10) {
        case 0: return random.below(2) == 0
        case 1: return random.below(1000) - 500
        case 2: return [Double.nan, .infinity, -1e308, 0.1, 1e19][random.below(5)]
        case 3: return NSNull()
        case 4, 5: return texts[random.below(texts.count)]
        case 6: return (0..<random.below(4)).map { _ in value(&random, depth + 1) }
        default: return object(&random, depth + 1)
        }
    }

    private func object(_ random: inout SeededRandom, _ depth: Int) -> [AnyHashable: Any] {
        var members: [AnyHashable: Any] = [:]
        for _ in 0..<random.below(7) { members[names[random.below(names.count)]] = value(&random, depth) }
        return members
    }

    private func userInfo(_ random: inout SeededRandom) -> [AnyHashable: Any] {
        var info = object(&random, 0)
        var own = object(&random, 1)
        own["c"] = texts[random.below(texts.count)]
        if random.chance(0.7) { own["k"] = ["announcement", "poll", "data_push", "in_app", "native"][random.below(5)] }
        if random.chance(0.7) { own["r"] = ["page", "../x", "a b%", ""][random.below(4)] }
        if random.chance(0.5) { own["m"] = "m\(random.below(9))" }
        info["fanfare"] = own
        if random.chance(0.5) { info["aps"] = ["content-available": 1] }
        return info
    }

    /// Returns an almost valid body: a valid one with bytes changed, or JSON of familiar words.
    private func body(_ random: inout SeededRandom, _ good: [String]) -> Data {
        if random.chance(0.3) { return (try? JSONEncoder().encode(JSON(object(&random, 0)) ?? .null)) ?? Data() }
        var data = Data(good[random.below(good.count)].utf8)
        for _ in 0..<random.below(6) where !data.isEmpty { data[random.below(data.count)] = UInt8(random.below(256)) }
        return random.chance(0.2) ? data.prefix(random.below(data.count + 1)) : data
    }

    private let pages = [
        #"{"format": "html", "title": "T", "body": "<p>x</p>", "action_label": "", "action_url": "app://x"}"#,
        #"{"title": "W", "questions": [{"id": "q", "title": "Q", "select": "many", "choices": [{"id": "a", "title": "A"}]}]}"#,
    ]
    private let sessions = [
        """
        {"messages": [{"campaign": "w", "m": "x", "type": "full", "header": "H", "orientation": "portrait", "duration": 1e300,
        "priority": 1e30, "delay": -5, "timeout": 1e-9, "repeat_after": 0, "starts_at": "2026-11-20T20:50:00Z",
        "triggers": [{"on": "custom_event", "name": "goal", "where": [{"property": "n", "op": "regex", "value": "("}]},
        {"on": "session_start"}]}]}
        """
    ]

    @Test(arguments: 0..<6) func `random pushes, contents and sessions leave a phone that works`(
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let rig = try PhoneRig(Peer(seed: UInt64(seed)))
        try await rig.register()
        await rig.phone.becameActive()
        for number in 0..<40 {
            await rig.peer.serve("page", type: "application/json", body(&random, pages))
            await rig.peer.answerSessions(body(&random, sessions), tag: "\(number)")
            if let push = PushMessage(userInfo(&random)) {
                switch random.below(6) {
                case 0: _ = await rig.phone.received(push)
                case 1: _ = await rig.phone.displayed(push)
                case 2: await rig.phone.responded(.opened, to: push)
                case 3: await rig.phone.responded(.action(texts[random.below(texts.count)]), to: push)
                case 4: await rig.phone.viewEnded(push, .exited)
                default: await rig.phone.answered(push, ["q": ["a", ""]])
                }
            }
            await rig.phone.happened(.custom("goal", ["n": .string("x")]))
            if random.chance(0.3) { await rig.phone.resigned() }
            try await rig.pass(TimeInterval(random.below(100)))
            await rig.phone.becameActive()
        }
        // The shown message is dismissed, and a valid campaign is presented.
        await rig.phone.settled()
        while let current = await rig.phone.campaignQueue.current {
            await rig.phone.viewEnded(current, .exited)
            await rig.phone.settled()
        }
        await rig.peer.serve("page", type: "application/json", Data(pages[0].utf8))
        _ = rig.listener.heard()
        await rig.phone.responded(
            .opened,
            to: try push(["c": "good", "k": "announcement", "r": "page"], aps: ["alert": "x"])
        )
        await rig.phone.settled()
        #expect(rig.listener.heard().contains("present good"))
        try await rig.pass(86_400)
        #expect(await rig.phone.waitingEvents == 0)
    }

    /// Each draws a thousand texts, a second of a debug build; the full suite has ten.
    private static let seeds = 0..<(ProcessInfo.processInfo.environment["FANFARE_FULL"] == nil ? 4 : 10)

    @Test(arguments: seeds) func `random bytes where pages, polls and sessions should be are read or refused`(
        seed: Int
    ) {
        var random = SeededRandom(seed: UInt64(seed) &+ 1000)
        var read = 0
        for _ in 0..<500 {
            let page = body(&random, pages)
            if let json = try? JSONDecoder().decode(JSON.self, from: page) {
                if Announcement(json) != nil { read += 1 }
                if let poll = Poll(json) {
                    #expect(!poll.questions.isEmpty && poll.questions.allSatisfy { !$0.choices.isEmpty })
                    read += 1
                }
            }
            guard let answer = try? SessionAnswer(body(&random, sessions)) else { continue }
            read += 1
            #expect(answer.messages.allSatisfy { !$0.triggers.isEmpty })
        }
        #expect(read > 20)
    }
}
