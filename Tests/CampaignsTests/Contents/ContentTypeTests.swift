import Testing

@testable import Campaigns

/// Contents that apps fetch: their valid types, and requests for a part.
struct ContentTypeTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]
    private static let gif = Array("GIF89a..".utf8)
    private static let webp = Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8)

    static let good: [(ContentType, [UInt8])] = [
        (.png, png), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.gif, gif), (.webp, webp), (.html, Array("<p>Olé".utf8)),
        (.aiff, Array("FORM".utf8) + [0, 0, 0, 4] + Array("AIFF".utf8)),
        (.aiff, Array("FORM".utf8) + [0, 0, 0, 4] + Array("AIFC".utf8)),
        (.wav, Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WAVE".utf8)), (.caf, Array("caff".utf8) + [0, 1, 0, 0]),
        (.mp3, Array("ID3".utf8) + [4, 0]), (.mp3, [0xFF, 0xFB, 0x90, 0x64]), (.mp3, [0xFF, 0xE3, 0x18, 0xC4]),
        (.plain, Array("Olé".utf8)), (.json, Array(#"{"a": [1]}"#.utf8)),
    ]

    @Test(arguments: good)
    func `bytes are what their type says`(_ type: ContentType, _ bytes: [UInt8]) {
        #expect(type.problem(bytes) == nil)
        let binary: [ContentType] = [.png, .jpeg, .gif, .webp, .aiff, .wav, .caf, .mp3]
        for other in binary where other != type { #expect(other.problem(bytes) != nil, "\(other)") }
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

    @Test(
        arguments: [
            // AAC in ADTS (layer 0), MPEG layer II, an IFF picture, a RIFF movie, half a header.
            [0xFF, 0xF1, 0x50, 0x80], [0xFF, 0xFD, 0x90, 0x64], Array("FORM\0\0\0\u{4}ILBM".utf8),
            Array("RIFF\0\0\0\0AVI ".utf8), Array("caff".utf8), [0xFF],
        ] as [[UInt8]]
    )
    func `bytes of other formats are no sound`(_ bytes: [UInt8]) {
        for type in [ContentType.aiff, .wav, .caf, .mp3] { #expect(type.problem(bytes) != nil, "\(type)") }
    }

    @Test func `a file's name says its type`() {
        #expect(ContentType(fileName: "a.aif") == .aiff && ContentType(fileName: "bell.CAF") == .caf)
        #expect(ContentType(fileName: "a.wav") == .wav && ContentType(fileName: "a.mp3") == .mp3)
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

    @Test func `a comma between quotation marks is part of a tag, and an asterisk stands alone`() {
        let field = #""x,y",W/"a,"abc",b" , , "1,2""#
        for tag in [#""x,y""#, #""1,2""#] { #expect(EntityTags.names(field, tag), "\(tag)") }
        for tag in [#""abc""#, #""2""#, "y\""] { #expect(!EntityTags.names(field, tag), "\(tag)") }
        #expect(EntityTags.names(#"W/"a,b""#, #""a,b""#) && EntityTags.names("\t* ", #""abc""#))
        for field in [#"*, "x""#, #""*""#, #""x" "abc""#, #""x, "abc""#, #"w/"abc""#] {
            #expect(!EntityTags.names(field, #""abc""#), "\(field)")
        }
    }
}
