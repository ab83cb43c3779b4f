import Foundation
import Testing

@testable import FanfareKit

/// An app's extensions, and the sources of assets.
@Suite struct PushExtensionTests {
    private let jpeg = Data([0xFF, 0xD8, 0xFF, 1, 2, 3])

    private func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("extension-\(UUID().uuidString)")
    }

    private func received(
        _ path: String,
        _ server: SmallServer,
        _ change: (inout PushExtension) -> Void = { _ in }
    )
        async -> Result<URL, DownloadProblem>?
    {
        guard let media = server.url(path) else { return nil }
        var part = PushExtension(folder: folder())
        change(&part)
        return await part.fetch(media)
    }

    @Test func `media comes to a file whose ending tells its type`() async throws {
        let server = try SmallServer([
            "/a": .bytes(type: "image/jpeg; charset=x", jpeg), "/b.png": .bytes(type: "application/octet-stream", jpeg),
            "/c.png": .bytes(type: "text/html", jpeg), "/d.exe": .bytes(type: "application/octet-stream", jpeg),
        ])
        defer { server.stop() }
        for (path, ending) in [("/a", "jpg"), ("/b.png", "png")] {
            guard case .success(let file)? = await received(path, server) else {
                Issue.record("no file for \(path)")
                continue
            }
            #expect(try Data(contentsOf: file) == jpeg && file.pathExtension == ending)
            try FileManager.default.removeItem(at: file)
        }
        #expect(await received("/c.png", server) == .failure(.wrongType("text/html")))
        #expect(await received("/d.exe", server) == .failure(.wrongType("application/octet-stream")))
        #expect(await received("/gone", server) == .failure(.refused(404)))
    }

    @Test func `media that is too large or too slow is given up`() async throws {
        let server = try SmallServer([
            "/large": .bytes(type: "image/jpeg", Data(count: 5000)), "/endless": .endless(type: "image/jpeg"),
            "/silent": .silent,
        ])
        defer { server.stop() }
        #expect(await received("/large", server) { $0.bytesMax = 4999 } == .failure(.tooLarge))
        #expect(await received("/endless", server) { $0.bytesMax = 1_000_000 } == .failure(.tooLarge))
        #expect(await received("/silent", server) { $0.seconds = 0.3 } == .failure(.tooSlow))
        #expect(await received("/endless", server) { ($0.seconds, $0.bytesMax) = (0.3, .max) } == .failure(.tooSlow))
    }

    @Test func `the extension notes what came for the app, and nothing of another's push`() async throws {
        let part = PushExtension(folder: folder())
        defer { try? FileManager.default.removeItem(at: part.folder) }
        #expect(await part.received(["aps": ["alert": "x"]]) == nil)
        #expect(EventInbox(part.folder).read().isEmpty)
        #expect(await part.received(["aps": ["alert": "x"], "fanfare": ["c": "derby", "m": "m1"]]) == nil)
        let noted = EventInbox(part.folder).read().map(\.event)
        #expect(noted.map(\.messageID) == ["m1"] && noted.map(\.type) == [.received])
    }

    @Test func `a content extension has a layout by category, and knows what its Info.plist forgets`() {
        let layouts = ContentExtensionMap(["TICKET": 1, "SCORE": 2], otherwise: 3)
        let ours: [AnyHashable: Any] = ["fanfare": ["c": "derby"]]
        #expect(layouts.layout(ours, category: "TICKET") == 1 && layouts.layout(ours, category: "OTHER") == 3)
        #expect(layouts.layout([:], category: "TICKET") == nil)
        #expect(ContentExtensionMap(["TICKET": 1]).layout(ours, category: "OTHER") == nil)
        func info(_ value: Any) -> [String: Any] {
            ["NSExtension": ["NSExtensionAttributes": ["UNNotificationExtensionCategory": value]]]
        }
        #expect(layouts.unlisted(in: info(["TICKET", "SCORE"])) == [])
        #expect(layouts.unlisted(in: info("TICKET")) == ["SCORE"] && layouts.unlisted(in: [:]) == ["SCORE", "TICKET"])
    }

    @Test func `assets are fetched once, a ZIP is unpacked, and what nobody names any more goes after a day`()
        async throws
    {
        let zip = try #require(
            try await ZIPMaker.archives("add('page', lambda z: z.writestr('img/a.png', b'png'))\n")["page"]
        )
        let server = try SmallServer([
            "/a.jpg": .bytes(type: "image/jpeg", jpeg), "/page.zip": .bytes(type: "application/zip", zip),
            "/bad.zip": .bytes(type: "application/zip", jpeg),
        ])
        let store = AssetStore(folder())
        defer { store.removeAll() }
        let picture = try #require(server.url("/a.jpg"))
        let page = try #require(server.url("/page.zip"))
        let bad = try #require(server.url("/bad.zip"))
        let now = Date()
        #expect(store.location(picture) == nil)
        #expect(await store.load([picture, page], now: now) == nil)
        #expect(await store.load([bad], now: now) == "bad.zip: not a ZIP archive")
        #expect(store.location(bad) == nil)
        #expect(try store.location(picture).map { try Data(contentsOf: $0) } == jpeg)
        let inside = store.location(page)?.appendingPathComponent("img/a.png")
        #expect(try inside.map { try Data(contentsOf: $0) } == Data("png".utf8))
        server.stop()
        // Once is enough.
        #expect(await store.load([picture, page], now: now) == nil)
        store.keep([page], now: now + 3600)
        #expect(store.location(picture) != nil)
        store.keep([page], now: now + 100_000)
        #expect(store.location(picture) == nil && store.location(page) != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).count == 1)
    }
}
