import Testing

@testable import Simulator

@Suite struct JSONScannerTests {
    @Test(arguments: [
        #"{}"#, #" {"a" : [1, -0.5e+10, true, false, null, "é\u00e9\ud83d\ude00\n"]} "#, #"{"aps":{"alert":"€𝄞"}}"#,
        #"{"a":{"b":{"c":[[[]]]}}}"#, #"{"":0}"#,
    ])
    func `a JSON object is taken`(_ text: String) throws {
        _ = try PayloadFacts(Array(text.utf8)[...])
        _ = try JSONNode(parsing: Array(text.utf8)[...])
    }

    @Test(arguments: [
        "", "[]", "1", "{", "{}x", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":01}"#, #"{"a":1.}"#,
        #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#, #"{"a":tru}"#, #"{"a":'x'}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#,
        #"{"a":"\ud800"}"#, #"{"a":"\udc00\ud800"}"#, "{\"a\":\"\n\"}", #"{"a":[1,]}"#, #"{"a":NaN}"#, "\u{FEFF}{}",
    ])
    func `what is no JSON object is refused`(_ text: String) {
        #expect(throws: JSONError.self) { try PayloadFacts(Array(text.utf8)[...]) }
    }

    @Test(arguments: [
        [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
    ])
    func `bytes that are no UTF-8 are refused`(_ bytes: [UInt8]) {
        let payload = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
        #expect(throws: JSONError.self) { try PayloadFacts(payload[...]) }
    }

    @Test func `nesting has an end`() {
        let deep = #"{"a":"# + String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try PayloadFacts(Array(deep.utf8)[...]) }
    }

    @Test func `a key is known with its escapes resolved`() throws {
        let facts = try PayloadFacts(Array(#"{"\u0061ps":{"al\u0065rt":"x"}}"#.utf8)[...])
        #expect(facts.hasAps && facts.hasAlert)
    }

    @Test func `text comes out as it went in`() throws {
        let text = "a\"\\\n\t\u{1}é😀/"
        let quoted = Array(JSONNode.quoted(text).utf8)
        #expect(try JSONNode(parsing: quoted[...]) == .string(text))
        let escaped = Array(#""\u00e9\ud83d\ude00\/""#.utf8)
        #expect(try JSONNode(parsing: escaped[...]) == .string("é😀/"))
    }
}
