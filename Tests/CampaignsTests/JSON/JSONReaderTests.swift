import Campaigns
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    private func read(_ text: String) -> JSONReading { JSONReader.read(Array(text.utf8)) }

    @Test func `a value keeps order, digits and escapes`() throws {
        let reading = read(#" {"b": [1.50, -0, 1E+2, true, null], "a/~": "\u00e9\uD83D\uDE00\n\/é"} "#)
        #expect(reading.problems.isEmpty)
        let members = try #require(reading.value?.members)
        #expect(members.map(\.name) == ["b", "a/~"])
        let numbers = ["1.50", "-0", "1E+2"].map { JSONValue.number(JSONNumber(text: $0)) }
        #expect(members[0].value == .array(numbers + [true, .null]))
        #expect(members[1].value == "é😀\n/é")
    }

    @Test(
        arguments: [
            ("", ProblemCode.syntax, "", 1, 1),
            ("   ", .syntax, "", 1, 4),
            ("{", .syntax, "", 1, 2),
            ("{\"a\":1,}", .syntax, "", 1, 8),
            ("[1,\n 2,]", .syntax, "", 2, 4),
            ("[1 2]", .syntax, "", 1, 4),
            ("{\"a\" 1}", .syntax, "", 1, 6),
            ("{a:1}", .syntax, "", 1, 2),
            ("{\"a\":}", .syntax, "/a", 1, 6),
            ("{\"a\":NaN}", .syntax, "/a", 1, 6),
            ("{\"a\":-Infinity}", .syntax, "/a", 1, 6),
            ("[01]", .syntax, "/0", 1, 2),
            ("[+1]", .syntax, "/0", 1, 2),
            ("[.5]", .syntax, "/0", 1, 2),
            ("[1.]", .syntax, "/0", 1, 2),
            ("[1e]", .syntax, "/0", 1, 2),
            ("[1e999]", .range, "/0", 1, 2),
            ("[True]", .syntax, "/0", 1, 2),
            ("['a']", .syntax, "/0", 1, 2),
            ("[\"a]", .syntax, "/0", 1, 5),
            ("[\"a\nb\"]", .syntax, "/0", 1, 4),
            ("[\"\\x\"]", .syntax, "/0", 1, 3),
            ("[\"\\u12\"]", .syntax, "/0", 1, 3),
            ("[\"\\uD800\"]", .encoding, "/0", 1, 3),
            ("[\"\\uDC00\\uD800\"]", .encoding, "/0", 1, 3),
            ("[\"\\", .syntax, "/0", 1, 3),
            ("{} {}", .syntax, "", 1, 4),
            ("{} // done", .syntax, "", 1, 4),
            ("\u{FEFF}{}", .encoding, "", 1, 1),
            ("{\"ä\": 1, \"ä\": 2}", .duplicateField, "/ä", 1, 10),
            ("{\"a\":{\"b\":[0,{\"c\":tru}]}}", .syntax, "/a/b/1/c", 1, 19),
            ("{\"a/b~c\":nil}", .syntax, "/a~1b~0c", 1, 10),
        ] as [(String, ProblemCode, String, Int, Int)]
    )
    func `a mistake is reported where it is`(
        text: String,
        code: ProblemCode,
        pointer: String,
        line: Int,
        column: Int
    ) throws {
        let problem = try #require(read(text).problems.first)
        #expect(problem.code == code)
        #expect(problem.pointer.text == pointer)
        #expect(problem.position == JSONPosition(line: line, column: column))
    }

    @Test(
        arguments: [
            ([0x22, 0xC3, 0x28, 0x22], 1), ([0x22, 0xC0, 0xAF, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xE2, 0x82], 2), ([0xFF, 0xFE, 0x7B, 0x00], 1),
            ([0x00, 0x7B, 0x00, 0x7D], 1), ([0x7B, 0x00, 0x7D, 0x00], 1), ([0x22, 0x80, 0x22], 1),
        ] as [([UInt8], Int)]
    )
    func `bytes that are not UTF-8 are refused as such`(bytes: [UInt8], count: Int) {
        let problems = JSONReader.read(bytes).problems
        #expect(problems.count == count)
        #expect(problems.first?.code == .encoding)
    }

    @Test func `all mistakes are found at once, and what is readable is read`() {
        let reading = read(#"{"a": NaN, "b": 01, "b": "\q", "c": [1,,2], "d": "ok",}"#)
        #expect(reading.problems.map(\.pointer.text) == ["/a", "/b", "/b", "/b", "/c/1"])
        let forgiven = read(#"{"a": NaN, "b": 01, "d": "ok",}"#)
        #expect(forgiven.problems.count == 3)
        #expect(forgiven.value?["d"] == "ok")
        #expect(forgiven.value?["a"] == .null)
    }

    @Test func `sixteen levels are read and seventeen refused`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(read(nested(16)).problems.isEmpty)
        #expect(read(nested(17)).problems.map(\.code) == [.tooDeep])
        #expect(read(String(repeating: "{\"a\":", count: 100_000)).problems.map(\.code) == [.tooDeep])
    }

    @Test func `a text over the limit is refused without being read`() {
        let bytes = [UInt8](repeating: 0x20, count: 101)
        let reading = JSONReader.read(bytes, limits: JSONReader.Limits(bytesMax: 100))
        #expect(reading.problems.map(\.code) == [.tooLarge])
        #expect(reading.value == nil)
    }

    @Test func `runs of combining marks are bounded, because comparing them is not`() {
        let marks = Array("\u{315}\u{300}\u{31b}".unicodeScalars)
        func text(_ count: Int) -> String {
            String(String.UnicodeScalarView((0..<count).map { marks[$0 % 3] }))
        }
        #expect(read("[\"e\(text(30))\"]").problems.isEmpty)
        #expect(read("[\"e\(text(31))\"]").problems.map(\.code) == [.encoding])
        #expect(read("{\"e\(text(31))\": 1}").problems.map(\.code) == [.encoding])
        let escaped = String(repeating: "\\u0315\\u0300", count: 300_000)
        #expect(read("{\"kind\": \"e\(escaped)\"}").problems.map(\.code) == [.encoding])
    }

    @Test func `a duplicate is found among many fields too`() {
        let fields = (0..<50).map { "\"k\($0)\":\($0)" } + ["\"k7\":0"]
        let problems = read("{" + fields.joined(separator: ",") + "}").problems
        #expect(problems.map(\.pointer.text) == ["/k7"])
        #expect(problems.map(\.code) == [.duplicateField])
    }

    @Test func `after a hundred problems reading stops`() {
        let reading = read("[" + Array(repeating: "NaN", count: 5000).joined(separator: ",") + "]")
        #expect(reading.problems.count == 100)
        #expect(reading.value == nil)
    }

    @Test func `names and numbers have a length limit`() {
        let name = String(repeating: "n", count: 1025)
        #expect(read("{\"\(name)\":1}").problems.map(\.code) == [.length])
        let number = String(repeating: "1", count: 1001)
        #expect(read("[\(number)]").problems.map(\.code) == [.range])
    }

    @Test func `pointers lead to their places`() {
        let text = "{\n  \"a\": [1,\n    {\"b\": 2}]\n}"
        let found = JSONReader.positions(of: ["/a/1/b", "", "/nowhere"], in: Array(text.utf8))
        #expect(found == ["/a/1/b": JSONPosition(line: 3, column: 11), "": JSONPosition(line: 1, column: 1)])
    }

    @Test(arguments: ["", "/a", "/a~0b~1/0", "/"])
    func `well-formed pointers are told`(text: String) { #expect(JSONPointer.isWellFormed(text)) }

    @Test(arguments: ["a", "/~", "/~2", "/a~"])
    func `other pointers are refused`(text: String) { #expect(!JSONPointer.isWellFormed(text)) }
}

@Suite("JSON numbers")
struct JSONNumberTests {
    @Test(
        arguments: [
            ("5", 5), ("5.0", 5), ("50e-1", 5), ("-0", 0), ("0.5e1", 5), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("1e3", 1000), ("0e999999999", 0), ("9223372036854775808", nil),
            ("5.5", nil), ("9007199254740991.4", nil), ("1e19", nil), ("1e99999999999999999999", nil),
        ] as [(String, Int64?)]
    )
    func `a whole number is exact or none`(text: String, integer: Int64?) {
        #expect(JSONNumber(text: text).integer == integer)
    }

    @Test(arguments: [
        ("5.0", "5"), ("50e-1", "5"), ("-0.0", "0"), ("0.80", "0.8"), ("8e-1", "0.8"), ("1e2", "100"),
        ("0.001", "0.001"), ("12.5e1", "125"), ("1e30", "1e30"), ("10e29", "1e30"), ("1e-30", "1e-30"),
        ("-12.340", "-12.34"), ("18446744073709551616", "18446744073709551616"),
    ])
    func `spellings of one number have one normal form`(text: String, normal: String) {
        #expect(JSONNumber(text: text).normalized.text == normal)
    }

    @Test func `a text of many small values is refused before it fills the memory`() {
        let limits = JSONReader.Limits(valuesMax: 1000)
        for value in ["0", "[]", "{\"a\":0}"] {
            let text = "[" + Array(repeating: value, count: 1200).joined(separator: ",") + "]"
            let reading = JSONReader.read(Array(text.utf8), limits: limits)
            #expect(reading.value == nil && reading.problems.map(\.code) == [.tooMany], "\(value)")
        }
        let most = "[" + Array(repeating: "0", count: 999).joined(separator: ",") + "]"
        #expect(JSONReader.read(Array(most.utf8), limits: limits).value?.array?.count == 999)
    }
}
