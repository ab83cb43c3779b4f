import Campaigns
import Delivery
import PushProviders
import TLS
import Testing

@testable import Settings

/// The results of a second reading of the apps file.
struct AppDirectoryTests {
    private let folder: ScratchFolder
    private let now = Timestamp(milliseconds: 1_795_289_400_000)

    init() throws {
        folder = try ScratchFolder()
        for name in ["ONE", "TWO"] { try folder.write("\(name).p8", ES256.generateKey().privateKeyPEM) }
    }

    private func apps(_ apps: [(name: String, key: String, topic: String)]) throws -> [AppConfiguration] {
        let lines = apps.map { app in
            let block = "topic: \(app.topic), team_id: ABCDE12345, key_id: \(app.key)0000000, key_file: \(app.key).p8"
            return "  \(app.name):\n    apns: {\(block)}\n"
        }
        return try AppsFile.read(path: try folder.write("apps.yaml", "apps:\n" + lines.joined()))
    }

    private func one(_ name: String) -> (name: String, key: String, topic: String) {
        (name, "ONE", "com.example.\(name)")
    }

    private func account(_ directory: AppDirectory, _ app: String) throws -> LoadedAccount {
        try #require(directory.account(app: app, provider: .apns))
    }

    private struct NoToken: Error {}

    private func token(_ directory: AppDirectory, _ app: String) throws -> [UInt8] {
        let account = try account(directory, app)
        guard case .ready(let authorization) = account.supply(for: account.account.endpoint(nil), now: now) else {
            throw NoToken()
        }
        return try #require(authorization.value)
    }

    @Test func `what has not changed stays the same object with its token`() throws {
        let directory = try AppDirectory(try apps([one("news"), one("sport")]))
        let before = try account(directory, "news")
        let reading = try directory.compare(try apps([one("news"), one("sport")]))
        #expect(reading.isSame && reading.gone.isEmpty)
        #expect(try account(directory, "news") === before)
    }

    @Test func `P16: apps with one key share its token, apps with two keys of a team do not`() throws {
        let directory = try AppDirectory(try apps([one("news"), one("sport"), ("quiz", "TWO", "com.example.quiz")]))
        #expect(try token(directory, "news") == token(directory, "sport"))
        #expect(try token(directory, "news") != token(directory, "quiz"))
        #expect(try token(directory, "quiz") == token(directory, "quiz"))
    }

    @Test func `another key takes the place of the old one only when it is taken into use`() throws {
        let directory = try AppDirectory(try apps([one("news"), one("sport")]))
        let (news, sport) = (try token(directory, "news"), try token(directory, "sport"))
        let reading = try directory.compare(try apps([("news", "TWO", "com.example.news"), one("sport")]))
        #expect(reading.replacements.map(\.new.key.description) == ["news (apns)", "news (broadcast)"])
        #expect(try token(directory, "news") == news)
        directory.use(reading)
        #expect(try token(directory, "news") != news)
        #expect(try token(directory, "sport") == sport)
    }

    @Test func `another setting keeps the key's token: a new account is no reason to make one`() throws {
        let directory = try AppDirectory(try apps([one("news")]))
        let before = try token(directory, "news")
        let reading = try directory.compare(try apps([("news", "ONE", "com.example.other")]))
        #expect(reading.replacements.count == 2)
        directory.use(reading)
        #expect(try token(directory, "news") == before)
    }

    @Test func `new content of the same file is another key`() throws {
        let directory = try AppDirectory(try apps([one("news")]))
        let before = try token(directory, "news")
        try folder.write("ONE.p8", ES256.generateKey().privateKeyPEM)
        let reading = try directory.compare(try apps([one("news")]))
        directory.use(reading)
        #expect(try token(directory, "news") != before)
    }

    @Test func `another key for message ids is a new account with the old provider token`() throws {
        func read(_ keys: String?) throws -> [AppConfiguration] {
            if let keys { try folder.write("message.key", keys) }
            let edge = keys == nil ? "" : "\n    edge: {message_key_file: message.key}"
            let block = "topic: a.b, team_id: ABCDE12345, key_id: ONE0000000, key_file: ONE.p8"
            let text = "apps:\n  news:\n    apns: {\(block)}\(edge)\n"
            return try AppsFile.read(path: try folder.write("apps.yaml", text))
        }
        let (one, two) = (String(repeating: "11", count: 32), String(repeating: "22", count: 32))
        let directory = try AppDirectory(try read("1 \(one)"))
        let before = try token(directory, "news")
        #expect(try account(directory, "news").messageKeys?.epochs == [1])
        #expect(try directory.compare(try read("1 \(one)\n")).replacements.isEmpty)
        let readings: [(keys: String, epochs: [UInt32])] = [
            ("1 \(one)\n2 \(two)", [1, 2]), ("2 \(two)", [2]), ("3 \(two)", [3]),
        ]
        for (keys, epochs) in readings {
            let reading = try directory.compare(try read(keys))
            #expect(reading.replacements.count == 2)
            directory.use(reading)
            #expect(try account(directory, "news").messageKeys?.epochs == epochs)
        }
        directory.use(try directory.compare(try read(nil)))
        #expect(try account(directory, "news").messageKeys == nil)
        #expect(try token(directory, "news") == before)
    }

    @Test func `an app that is new is taken over with its settings, and one that is gone leaves with them`() throws {
        let directory = try AppDirectory(try apps([one("news"), one("sport")]))
        let reading = try directory.compare(try apps([one("news"), one("quiz")]))
        #expect(reading.replacements.isEmpty && !reading.isSame)
        #expect(reading.added.map(\.key.description) == ["quiz (apns)", "quiz (broadcast)"])
        #expect(reading.newApps == ["quiz"])
        #expect(reading.gone.map(\.key.description) == ["sport (apns)", "sport (broadcast)"])
        #expect(directory.names == ["news", "sport"])
        let sport = try account(directory, "sport")
        #expect(!sport.isGone)
        directory.use(reading)
        #expect(directory.names == ["news", "quiz"])
        #expect(directory.account(app: "sport", provider: .apns) == nil && sport.isGone)
        // A new app with a known key has that key's token.
        #expect(try token(directory, "quiz") == token(directory, "news"))
        #expect(directory.setting(of: "quiz") != nil && directory.setting(of: "sport") == nil)
        #expect(directory.health.credentials.map(\.app) == ["news", "quiz"])
        #expect(try directory.compare(try apps([one("news"), one("quiz")])).isSame)
    }

    @Test func `a run whose claim was under way has the account that is gone, until the app comes back`() throws {
        let directory = try AppDirectory(try apps([one("news"), ("cup", "TWO", "com.example.cup")]))
        let (before, key) = (try account(directory, "cup"), try token(directory, "cup"))
        for _ in 0..<2 { directory.use(try directory.compare(try apps([one("news")]))) }
        #expect(directory.runAccount(app: "cup", provider: .apns) === before && before.isGone)
        let back = try directory.compare(try apps([one("news"), ("cup", "TWO", "com.example.cup")]))
        #expect(Set(back.added.map(\.app)) == ["cup"])
        directory.use(back)
        let now = try account(directory, "cup")
        #expect(now !== before && !now.isGone && directory.runAccount(app: "cup", provider: .apns) === now)
        // Apple refuses keys whose tokens are made too often.
        #expect(try token(directory, "cup") == key)
    }

    @Test func `the answer to a reload order has apps that are new, changed, as before and gone`() throws {
        let directory = try AppDirectory(try apps([one("news"), one("sport"), one("cup")]))
        let changed = ("sport", "ONE", "com.example.other")
        let reading = try directory.compare(try apps([one("news"), changed, one("quiz")]))
        let answer = reading.answer(to: 7, at: now)
        #expect(answer.order == 7 && answer.at == now && !answer.isStart && answer.refusals.isEmpty)
        #expect(answer.new == ["quiz"] && answer.changed == ["sport"] && answer.unchanged == 1)
        #expect(answer.gone == ["cup (apns)"])
    }

    @Test func `a reload names the settings that have changed, and takes all of them at once`() throws {
        func read(_ settings: String) throws -> [AppConfiguration] {
            let block = "topic: a.b, team_id: ABCDE12345, key_id: ONE0000000, key_file: ONE.p8"
            let text = "apps:\n  news:\n    apns: {\(block)}\n\(settings)"
            return try AppsFile.read(path: try folder.write("apps.yaml", text))
        }
        let directory = try AppDirectory(try read("    time_zone: Europe/Berlin\n"))
        #expect(try directory.compare(try read("    time_zone: Europe/Berlin\n")).isSame)
        let reading = try directory.compare(
            try read("    time_zone: Asia/Tokyo\n    per_second: 7\n    frequency_cap: [{most: 2, per: 1d}]\n")
        )
        #expect(reading.changes.map(\.app) == ["news", "news", "news"])
        #expect(reading.changes.map(\.part) == [.pace, .cap, .timeZone])
        #expect(reading.replacements.isEmpty && !reading.isSame)
        #expect(directory.pace(of: "news") == nil)
        #expect(directory.setting(of: "news")?.timeZone == "Europe/Berlin")
        directory.use(reading)
        #expect(directory.pace(of: "news")?.perSecond == 7)
        #expect(directory.cap(of: "news") != FrequencyCap())
        #expect(directory.setting(of: "news")?.timeZone == "Asia/Tokyo")
        directory.use(try directory.compare(try apps([one("sport")])))
        #expect(directory.setting(of: "news") == nil && directory.pace(of: "news") == nil)
    }
}
