import Foundation

/// A text file of the repository as the rules see it.
struct SourceFile {
    /// The path from the repository's root, for example `Sources/Delivery/Settle/Claim.swift`.
    let path: String
    /// The text, line by line.
    let lines: [String]
    /// The same bytes with comments, string literals and quoted identifiers blanked, so that only code is left.
    let code: [UInt8]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        code = path.hasSuffix(".swift") ? CodeMask.blank(Array(text.utf8)) : Array(text.utf8)
    }

    /// The folders and the file's name.
    var components: [String] { path.split(separator: "/").map(String.init) }

    /// `Sources`, `Tests`, `Deploy`, or the file's own name at the root.
    var top: String { components.first ?? "" }

    /// The target that the file belongs to: the folder below `Sources` or `Tests`.
    var target: String? { (top == "Sources" || top == "Tests") && components.count > 2 ? components[1] : nil }

    /// True for handwritten Swift.
    var isHandwrittenSwift: Bool { path.hasSuffix(".swift") && !path.hasSuffix(".pb.swift") }

    /// Returns the lines, counted from 1, in which a phrase occurs as a whole word.
    func lines(of phrase: String) -> [Int] {
        let needle = Array(phrase.utf8)
        var found: [Int] = []
        var line = 1
        var counted = 0
        for offset in PhraseSearch.offsets(of: needle, in: code) {
            line += code[counted..<offset].count { $0 == UInt8(ascii: "\n") }
            counted = offset
            found.append(line)
        }
        return found
    }

    /// Returns the code of a line (counted from 1), with comments and strings blanked.
    func codeLine(_ number: Int) -> String {
        let parts = code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard parts.indices.contains(number - 1) else { return "" }
        return String(decoding: parts[number - 1], as: UTF8.self)
    }
}

/// Finds phrases in bytes.
enum PhraseSearch {
    /// Returns the offsets at which a phrase is not part of a longer word.
    static func offsets(of needle: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = needle.first, let last = needle.last else { return [] }
        var found: [Int] = []
        bytes.withUnsafeBytes { haystack in
            guard let base = haystack.baseAddress else { return }
            var from = 0
            while from + needle.count <= haystack.count,
                let hit = memchr(base + from, Int32(first), haystack.count - needle.count - from + 1)
            {
                let offset = UnsafeRawPointer(hit) - base
                let end = offset + needle.count
                from = offset + 1
                guard memcmp(base + offset, needle, needle.count) == 0 else { continue }
                let splitsBefore = isWord(first) && offset > 0 && isWord(haystack[offset - 1])
                let splitsAfter = isWord(last) && end < haystack.count && isWord(haystack[end])
                if !splitsBefore && !splitsAfter { found.append(offset) }
            }
        }
        return found
    }

    /// Returns true if a byte may be part of an identifier.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }
}
