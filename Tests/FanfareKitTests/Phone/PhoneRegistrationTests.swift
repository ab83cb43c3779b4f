import Foundation
import Testing

@testable import FanfareKit

/// Registration and deletion of a whole phone.
@Suite struct PhoneRegistrationTests {
    private func body(_ request: EdgeRequest) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: try #require(request.body))
    }

    @Test func `a registration says what is known, once, and again when something changes`() async throws {
        let rig = try PhoneRig { $0.environment = "sandbox" }
        await rig.phone.change { ($0.token, $0.locale) = (token("ab"), "es-ES") }
        try await rig.pass(3600)
        let first = await rig.peer.taken("PUT", "/v1/devices/")
        #expect(first.count == 1 && first.first?.bearer == "key")
        let said = try body(try #require(first.first))
        #expect(said["token"] == .string(token("ab")) && said["kit_version"] == .string(Kit.version))
        #expect(said["environment"] == .string("sandbox") && said["permission"] == .string("unknown"))
        // The same values are nothing new, even after a restart.
        await rig.phone.change { $0.locale = "es-ES" }
        try await rig.kill()
        try await rig.pass(3600)
        #expect(await rig.peer.taken("PUT", "/v1/devices/").isEmpty)
        await rig.phone.change { ($0.permission, $0.tags) = ("denied", ["derby"]) }
        await rig.phone.settled()
        let second = await rig.peer.taken("PUT", "/v1/devices/")
        #expect(second.first?.bearer.hasPrefix("device-secret-") == true && second.map(\.path) == first.map(\.path))
        #expect(try second.map { try body($0)["permission"] } == [.string("denied")])
    }

    @Test func `while offline the newest is kept over kills, and told once when the network is there`() async throws {
        let rig = try PhoneRig()
        await rig.peer.be(.away)
        await rig.phone.change { $0.token = token("ab") }
        await rig.phone.change { $0.tags = ["derby"] }
        try await rig.kill()
        await rig.phone.change { $0.tags.insert("cup") }
        try await rig.pass(600)
        let tries = await rig.peer.taken("PUT", "/v1/devices/").count
        // At growing intervals, not continuously.
        #expect(tries > 5 && tries < 20)
        #expect(rig.listener.heard().allSatisfy { $0 == "registration connection_issue" })
        await rig.peer.be(.well)
        await rig.phone.networkReturned()
        await rig.phone.settled()
        let sent = await rig.peer.taken("PUT", "/v1/devices/")
        #expect(try sent.map { try body($0)["tags"]?["add"] } == [.array([.string("cup"), .string("derby")])])
        #expect(rig.listener.heard() == ["registration registered"])
    }

    @Test func `an answer that was lost with the secret costs the id, not the device`() async throws {
        let rig = try PhoneRig()
        await rig.peer.be(.losesAnswers)
        await rig.phone.change { $0.token = token("ab") }
        await rig.phone.settled()
        let lost = await rig.phone.device
        // The server has given that id a secret, and says so.
        await rig.peer.be(.says(403, ["status": .string("integration_key_unknown")]))
        try await rig.kill()
        await rig.phone.settled()
        #expect(await rig.phone.device != lost)
        // A truly unknown key stays refused, and nothing is tried in a loop.
        _ = await rig.peer.taken("", "")
        try await rig.pass(86_400)
        #expect(await rig.peer.taken("PUT", "/v1/devices/").isEmpty)
        await rig.peer.be(.well)
        try await rig.kill()
        await rig.phone.settled()
        #expect(await rig.phone.registrar.isRegistered)
    }

    @Test func `a user whom the back end vouches for is named with its word only`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        await rig.peer.vouch(["ana": "new"])
        await rig.phone.setUser("ana", proof: "old")
        try await rig.pass(3600)
        #expect(await rig.peer.taken("PUT", "/v1/devices/").map(\.userProof) == ["old"])
        #expect(rig.listener.heard() == ["registration user_not_verified"])
        await rig.phone.setUser("ana", proof: "new")
        await rig.phone.settled()
        let told = await rig.peer.taken("PUT", "/v1/devices/")
        #expect(told.map(\.userProof) == ["new"])
        #expect(try told.map { try body($0)["user"] } == [.string("ana")])
        // The token is not stored, and without it the user is not named again.
        try await rig.kill()
        await rig.phone.change { $0.locale = "es" }
        await rig.phone.settled()
        let later = await rig.peer.taken("PUT", "/v1/devices/")
        #expect(try later.map { try body($0)["user"] } == [nil])
        await rig.phone.setUser(nil, proof: nil)
        await rig.phone.settled()
        #expect(try await rig.peer.taken("PUT", "/v1/devices/").map { try body($0)["user"] } == [.null])
    }

    @Test func `a device that wants to be forgotten is, here and there, and says nothing afterwards`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        let device = await rig.phone.device
        await rig.peer.be(.away)
        _ = await rig.phone.displayed(try push(["c": "derby", "m": "m1"]))
        await rig.phone.settled()
        guard case .failed = await rig.phone.forget() else {
            Issue.record("forgotten without the server")
            return
        }
        #expect(await rig.phone.device == device)
        await rig.peer.be(.well)
        _ = await rig.peer.taken("", "")
        #expect(await rig.phone.forget() == .forgotten)
        #expect(await rig.peer.requests.map(\.method) == ["DELETE"])
        try await rig.pass(86_400 * 30)
        try await rig.kill()
        try await rig.pass(3600)
        #expect(await rig.peer.requests.map(\.method) == ["DELETE"])
        #expect(await rig.phone.device != device)
        #expect(await rig.phone.waitingEvents == 0)
        #expect(EventJournal(rig.journal).read().isEmpty)
        await rig.phone.change { $0.token = token("cd") }
        await rig.phone.settled()
        #expect(await rig.phone.registrar.isRegistered)
    }

    @Test func `a device that the server has forgotten registers anew, and its events follow`() async throws {
        let rig = try PhoneRig()
        try await rig.register()
        let device = await rig.phone.device
        await rig.peer.be(.says(403, ["status": .string("integration_key_unknown")]))
        _ = await rig.phone.displayed(try push(["c": "derby", "m": "m1"]))
        await rig.phone.settled()
        await rig.peer.be(.well)
        try await rig.kill()
        try await rig.pass(3600)
        #expect(await rig.phone.device != device)
        #expect(await rig.peer.counted.count == 1)
    }

    @Test func `without a server or a key that is said once, and nothing else happens`() async throws {
        var options = FanfareOptions()
        options.folder = FileManager.default.temporaryDirectory.appendingPathComponent("phone-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: options.folder) }
        let (listener, peer) = (RecordingListener(), Peer())
        var setting = Phone.Setting(
            integrationKey: "",
            options: options,
            assets: AssetStore(options.folder),
            names: KnownNames(options.folder, given: [:])
        )
        let mute = try Phone(setting, listener: listener)
        await mute.start()
        await mute.change { $0.token = token("ab") }
        #expect(listener.heard() == ["registration server_empty"])
        setting.send = { try await peer.send($0) }
        let keyless = try Phone(setting, listener: listener)
        await keyless.start()
        await keyless.change { $0.token = token("cd") }
        #expect(listener.heard() == ["registration integration_key_empty"])
        #expect(await peer.requests.isEmpty)
    }

    @Test func `a field that the server does not take is not sent again before something changes`() async throws {
        let rig = try PhoneRig()
        await rig.peer.be(.says(422, ["status": .string("unexpected_error"), "pointer": .string("/tags")]))
        await rig.phone.change { ($0.token, $0.tags) = (token("ab"), ["derby"]) }
        try await rig.pass(86_400)
        #expect(await rig.peer.taken("PUT", "/v1/devices/").count == 1)
        await rig.peer.be(.well)
        await rig.phone.change { $0.tags = [] }
        await rig.phone.settled()
        #expect(await rig.phone.registrar.isRegistered)
    }

    @Test func `of everything that a device may say of itself, the edge takes what the kit sends`() async throws {
        let rig = try PhoneRig { $0.environment = "sandbox" }
        await rig.phone.change {
            ($0.token, $0.locale, $0.timeZone, $0.appVersion) = (token("ab"), "zh-Hant-TW", "Asia/Taipei", "3.2.0")
            ($0.permission, $0.tags) = ("provisional", ["derby", "cup \u{26BD}"])
            $0.attributes = ["team": .string("atleti"), "age": .number(41), "rate": .number(0.5), "fan": .bool(true)]
        }
        await rig.phone.badgeWasSet(3)
        await rig.phone.setUser("ana@example.com", proof: nil)
        await rig.phone.settled()
        #expect(await rig.phone.registrar.isRegistered)
        for permission in Fanfare.Permission.allCases {
            await rig.phone.change { $0.permission = permission.rawValue }
            await rig.phone.settled()
        }
        await rig.phone.change { ($0.tags, $0.attributes["team"], $0.attributes["rate"]) = ([], .null, .number(-1e15)) }
        await rig.phone.setUser(nil, proof: nil)
        await rig.phone.settled()
        #expect(await rig.peer.refusals == [])
        #expect(await rig.phone.registrar.wakeAt(now: rig.now) == rig.now + Registrar.refresh)
    }

    @Test(arguments: [
        (SystemFacts(locale: "en-US-POSIX", timeZone: "Etc/GMT+3", appVersion: "3.2.0 (beta)"), []),
        (
            SystemFacts(locale: "C", timeZone: "no zone", appVersion: "the newest"),
            ["locale", "time_zone", "app_version"]
        ),
        (SystemFacts(locale: "", timeZone: "", appVersion: ""), ["locale", "time_zone", "app_version"]),
    ])
    func `what the system says of the place and the app keeps no device from registering`(
        systemFacts: SystemFacts,
        leftOut: [String]
    ) async throws {
        let rig = try PhoneRig(systemFacts: systemFacts)
        await rig.phone.start()
        await rig.phone.change { $0.token = token("ab") }
        await rig.phone.settled()
        #expect(await rig.peer.refusals == [])
        #expect(await rig.phone.registrar.isRegistered)
        let said = try body(try #require(await rig.peer.taken("PUT", "/v1/devices/").first)).object?.keys
        #expect(["locale", "time_zone", "app_version"].filter { said?.contains($0) != true } == leftOut)
        #expect(rig.listener.logs.isEmpty == leftOut.isEmpty)
    }
}
