import Foundation
import Seeds
import Testing

@testable import FanfareKit

/// Archives of in-app messages.
@Suite struct ZIPArchiveTests {
    private func refusal(_ data: Data) -> ZIPProblem? {
        do {
            let archive = try ZIPArchive(data)
            for entry in archive.entries where !entry.isFolder { _ = try archive.contents(entry) }
            return nil
        } catch {
            return error
        }
    }

    @Test func `what Python packs at every level is unpacked as it was`() async throws {
        let script = """
            random.seed(1)
            texts = {
                "index.html": b"<html>" + b"goal " * 2000, "empty": b"", "one": b"x", "img/a.png": random.randbytes(70000),
                "css/deep/er/s.css": b"".join(b"a%d{top:%dpx}" % (i, i * i) for i in range(3000)), "\\u00e9.txt": b"accent",
                "zeros": bytes(300000), "near": bytes(random.choice(b"ab") for _ in range(50000)),
            }
            for level in [1, 6, 9]:
                add(f"level{level}", lambda z: [z.writestr(n, t) for n, t in texts.items()], compresslevel=level)
            add("stored", lambda z: [z.writestr(n, t, ZIP_STORED) for n, t in texts.items()])
            def fixed(z):
                z.mkdir("folder") if hasattr(z, "mkdir") else z.writestr("folder/", b"")
                [z.writestr(n, t) for n, t in texts.items()]
                z.comment = b"made by a test"
            add("folders", fixed)
            """
        let archives = try await ZIPMaker.archives(script)
        #expect(archives.count == 5)
        var contents: [String: [String: Int]] = [:]
        for (name, data) in archives {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unzip-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let archive = try ZIPArchive(data)
            try archive.unpack(to: folder)
            for entry in archive.entries where !entry.isFolder {
                let file = folder.appendingPathComponent(entry.path.joined(separator: "/"))
                contents[name, default: [:]][entry.path.joined(separator: "/")] = try Data(contentsOf: file).hashValue
            }
            let page = try Data(contentsOf: folder.appendingPathComponent("index.html"))
            #expect(page == Data(("<html>" + String(repeating: "goal ", count: 2000)).utf8), "\(name)")
            #expect(try Data(contentsOf: folder.appendingPathComponent("zeros")) == Data(count: 300_000))
        }
        #expect(Set(contents.values).count == 1 && contents["stored"]?.count == 8)
    }

    @Test func `an archive that leads out, hides something or is not whole is refused with its reason`() async throws {
        let script = """
            def named(name): add(f"name{named.n}", lambda z: z.writestr(name, b"x")); named.n += 1
            named.n = 0
            for name in ["../up", "a/../../up", "/root", "a//b", "./a", "c:/x", "a\\\\b", "a\\nb", "a/" * 20 + "x", "x" * 300]:
                named(name)
            good = lambda z: z.writestr("page.html", b"goal " * 100)
            add("good", good)
            patch("encrypted", "good", lambda d: d.__setitem__(d.find(b"PK\\1\\2") + 8, 1))
            patch("method", "good", lambda d: d.__setitem__(d.find(b"PK\\1\\2") + 10, 12))
            patch("checksum", "good", lambda d: d.__setitem__(d.find(b"PK\\1\\2") + 16, d[d.find(b"PK\\1\\2") + 16] ^ 1))
            patch("other", "good", lambda d: d.__setitem__(30, ord("q")))
            patch("cut", "good", lambda d: d.__delitem__(slice(len(d) - 30, None)))
            patch("disks", "good", lambda d: d.__setitem__(d.rfind(b"PK\\5\\6") + 4, 1))
            patch("sized", "good", lambda d: d.__setitem__(slice(d.find(b"PK\\1\\2") + 24, d.find(b"PK\\1\\2") + 28), b"\\xff" * 4))
            patch("short", "good", lambda d: d.__setitem__(d.find(b"PK\\1\\2") + 24, 7))
            def link(z):
                info = ZipInfo("link"); info.create_system = 3; info.external_attr = 0o120777 << 16
                z.writestr(info, "/etc/passwd")
            add("link", link)
            add("twice", lambda z: [z.writestr("Page", b"1"), z.writestr("page", b"2")])
            def big(z):
                with z.open("big", "w", force_zip64=True) as f: f.write(b"x")
            add("zip64", lambda z: [z.writestr(f"{i}", b"") for i in range(70000)])
            add("many", lambda z: [z.writestr(f"{i}", b"") for i in range(1001)])
            add("bomb", lambda z: [z.writestr(f"{i}", bytes(9 << 20)) for i in range(6)])
            def overlap(d):
                first = d.find(b"PK\\1\\2"); second = d.find(b"PK\\1\\2", first + 4)
                d[second + 42:second + 46] = d[first + 42:first + 46]
                d[second + 46:second + 47] = d[first + 46:first + 47]
            add("pair", lambda z: [z.writestr("a", b"x" * 50), z.writestr("b", b"x" * 50)])
            patch("overlap", "pair", overlap)
            """
        let archives = try await ZIPMaker.archives(script)
        var found: [String: String] = [:]
        for (name, data) in archives {
            let text = refusal(data).map { "\($0)" } ?? "taken"
            found[name] = text.hasPrefix("the archive has a file") ? "name" : text
        }
        for number in 0..<10 { #expect(found["name\(number)"] == "name", "\(number)") }
        let expected = [
            "good": "taken", "pair": "taken", "encrypted": "the archive is encrypted",
            "method": "the archive uses the compression method 12", "checksum": "the archive is damaged at page.html",
            "other": "the archive is damaged at page.html", "cut": "the archive is cut off",
            "disks": "the archive is one of several parts", "sized": "the archive is a ZIP64",
            "short": "the archive is damaged at page.html",
            "link": #"the archive has an entry that is not a file, "link""#, "twice": #"the archive has "page" twice"#,
            "zip64": "the archive is a ZIP64", "many": "the archive has more than 1000 files",
            "bomb": "the archive has more than 52428800 bytes",
        ]
        for (name, reason) in expected { #expect(found[name] == reason, "\(name)") }
        #expect(found["overlap"]?.contains("damaged") == true || found["overlap"]?.contains("twice") == true)
        #expect(refusal(Data("<html>".utf8)) == .notAnArchive && refusal(Data()) == .notAnArchive)
    }

    @Test func `a damaged archive is refused or unpacked, and never a crash`() async throws {
        let script = """
            random.seed(2)
            def some(z):
                z.writestr("a.html", b"goal " * 40); z.writestr("b", random.randbytes(200)); z.writestr("d/", b"")
                z.writestr("c", bytes(random.choice(b"abcd") for _ in range(600)), compresslevel=9)
            add("some", some)
            """
        let good = try #require(try await ZIPMaker.archives(script)["some"])
        var random = SeededRandom(seed: 3)
        var refused = 0
        for end in 0..<good.count { #expect(refusal(good.prefix(end)) != nil, "\(end)") }
        for _ in 0..<1500 {
            var bad = good
            for _ in 0...random.below(4) { bad[random.below(bad.count)] = UInt8(random.below(256)) }
            if refusal(bad) != nil { refused += 1 }
        }
        #expect(refused > 900)
    }

    @Test func `whatever bits come, deflate ends and makes no more than it was told`() {
        var random = SeededRandom(seed: 4)
        var whole = 0
        for _ in 0..<5000 {
            let bytes = (0..<random.below(80)).map { _ in UInt8(random.below(256)) }
            let size = random.below(2000)
            guard let output = try? Inflate.decode(bytes[...], size: size) else { continue }
            #expect(output.count <= size)
            whole += 1
        }
        #expect(whole > 0)
    }
}
