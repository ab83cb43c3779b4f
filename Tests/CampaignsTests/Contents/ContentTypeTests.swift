import Testing

@testable import Campaigns

/// Contents that apps fetch: what they may be, and how a part of one is asked for.
struct ContentTypeTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]
    private static let gif = Array("GIF89a..".utf8)
    private static let webp = Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8)

    static let good: [(ContentType, [UInt8])] = [
        (.png, png), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.gif, gif), (.webp, webp), (.html, Array("<p>Olé".utf8)),
        (.plain, Array("Olé".utf8)), (.json, Array(#"{"a": [1]}"#.utf8)),
    ]

    @Test(arguments: good)
    func `bytes are what their type says`(_ type: ContentType, _ bytes: [UInt8]) {
        #expect(type.problem(bytes) == nil)
        let images: [ContentType] = [.png, .jpeg, .gif, .webp]
        for other in images where other != type { #expect(other.problem(bytes) != nil, "\(other)") }
    }

    @Test func `text that is none, JSON that is none and nothing at all are refused`() {
        #expect(ContentType.html.problem([0xC3, 0x28])?.detail == "the content is not UTF-8")
        #expect(ContentType.json.problem(Array("{".utf8)) != nil)
        for type in ContentType.allCases { #expect(type.problem([])?.detail == "the content is empty") }
    }

    @Test func `two MiB are taken, and not one byte more`() {
        let most = Self.png + [UInt8](repeating: 0, count: ContentType.bytesMax - Self.png.count)
        #expect(ContentType.png.problem(most) == nil && ContentType.png.problem(most + [0]) != nil)
    }

    @Test func `a file's name says its type`() {
        #expect(ContentType(fileName: "a/b.JPG") == .jpeg && ContentType(fileName: "c.html") == .html)
        #expect(ContentType(fileName: "png") == nil && ContentType(fileName: "a.exe") == nil)
    }

    @Test(arguments: [
        ("bytes=0-3", ByteRange.part(0..<4)), ("bytes=8-", .part(8..<10)), ("bytes=-3", .part(7..<10)),
        ("Bytes= 2-99", .part(2..<10)), ("bytes=-99", .part(0..<10)), ("bytes=9-9", .part(9..<10)),
        ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=5-2", .whole), ("bytes=-", .whole),
        ("bytes=0-1,4-5", .whole), ("lines=1-2", .whole), ("bytes=+1-2", .whole), ("0-3", .whole), ("", .whole),
        ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=0-99999999999999999999", .part(0..<10)),
    ])
    func `a range is read as RFC 9110 has it`(_ field: String, _ range: ByteRange) {
        #expect(ByteRange(field, of: 10) == range)
    }

    @Test func `of nothing there is no part`() {
        #expect(ByteRange(nil, of: 10) == .whole && ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", of: 0) == .unsatisfiable)
    }

    @Test func `a cache's tags are compared weakly`() {
        let tag = #""abc""#
        for field in [#""abc""#, #"W/"abc""#, "*", #""x", "abc""#] { #expect(EntityTags.names(field, tag), "\(field)") }
        for field in [#""abd""#, "abc", ""] { #expect(!EntityTags.names(field, tag), "\(field)") }
        #expect(!EntityTags.names(nil, tag))
    }
}
