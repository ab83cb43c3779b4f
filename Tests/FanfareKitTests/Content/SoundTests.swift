import Foundation
import Testing

@testable import FanfareKit

/// Sounds as rich content.
@Suite struct SoundTests {
    private let wave = Data("RIFF....WAVE".utf8)

    @Test func `a silent push that names a sound writes its file, and the notification plays it by name`() async throws
    {
        let rig = try PhoneRig { $0.soundFolder = $0.folder.appendingPathComponent("Sounds") }
        try await rig.register()
        await rig.peer.serve("goal.1", type: "audio/x-wav", wave)
        let push = try push(
            ["c": "derby", "m": "m1", "r": "goal.1", "t": "sound"],
            aps: ["content-available": 1],
            ["message": "Goal"]
        )
        #expect(await rig.phone.received(push) == .newData)
        let name = try #require(rig.listener.notifications.first?.sound)
        #expect(name == "fanfare-goal_1.wav")
        #expect(try Data(contentsOf: rig.folder.appendingPathComponent("Sounds/" + name)) == wave)
        _ = await rig.phone.forget()
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder.path + "/Sounds") == [])
    }

    @Test func `each format has its ending, MP3 is a file but plays with no notification, and the rest is no sound`() {
        func names(_ type: String) -> [String?] {
            let content = RichContent(name: RichContentName(id: "a", type: ""), contentType: type, data: wave)
            return [SoundStore.name(content), SoundStore.nameForNotification(content)]
        }
        #expect(names("audio/aiff") == ["fanfare-a.aiff", "fanfare-a.aiff"])
        #expect(names("audio/x-caf") == ["fanfare-a.caf", "fanfare-a.caf"])
        #expect(names("audio/wav") == ["fanfare-a.wav", "fanfare-a.wav"])
        #expect(names("audio/mpeg") == ["fanfare-a.mp3", nil] && names("image/png") == [nil, nil])
    }

    @Test func `at most twenty are kept, the newest, and the app's own sounds stay`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sounds-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = SoundStore(folder: folder)
        let now = Date()
        for number in 0..<25 {
            let name = RichContentName(id: "\(number)", type: "")
            let content = RichContent(name: name, contentType: "audio/wav", data: wave)
            try store.keep(content, now: now + TimeInterval(number))
            #expect(store.location(content) != nil)
            if number == 0 { try wave.write(to: folder.appendingPathComponent("own.wav")) }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == 21 && files.contains("own.wav"))
        #expect(files.contains("fanfare-5.wav") && !files.contains("fanfare-4.wav"))
    }
}
