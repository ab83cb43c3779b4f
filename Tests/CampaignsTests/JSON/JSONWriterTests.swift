import Campaigns
import Sanitizers
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test func `output is compact and escapes only what must be`() {
        let value: JSONValue = .object([
            "b": .array([1, .number(JSONNumber(text: "1.50")), .null, true]),
            "a": "\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀\u{2028}",
        ])
        #expect(
            value.text
                == #"{"b":[1,1.50,null,true],"a":"\"\\/\b\f\n\r\t\u0001\u001f"# + "\u{7f}é😀\u{2028}\"}"
        )
    }

    @Test func `the canonical form sorts names and normalises numbers`() {
        let one = JSONReader.read(Array(#"{"b":{"y":1.0,"x":2},"a":[1e1,"é"],"ä":0,"Z":0}"#.utf8)).value
        let other = JSONReader.read(Array(#"{"Z":0,"a":[10,"\u00e9"],"b":{"x":2,"y":1},"ä":-0}"#.utf8)).value
        let bytes = one.map { JSONWriter.bytes($0, sortedKeys: true) }
        #expect(bytes == other.map { JSONWriter.bytes($0, sortedKeys: true) })
        #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == #"{"Z":0,"a":[10,"é"],"b":{"x":2,"y":1},"ä":0}"#)
    }

    @Test func `what is written is read back, for random values`() {
        var generator = MutationGenerator(seed: 7)
        for _ in 0..<500 {
            let value = generator.value(depth: 0)
            let reading = JSONReader.read(JSONWriter.bytes(value))
            #expect(reading.problems.isEmpty)
            #expect(reading.value == value)
        }
    }
}

@Suite("Hostile JSON")
struct JSONFuzzTests {
    @Test func `random bytes and mutated texts never trap and always give a value or a problem`() {
        var generator = MutationGenerator(seed: 20_261_120)
        let seedText = Array(#"{"a":[1,-2.5e3,"x\u00e9\uD83D\uDE00y",{"b":null}],"c":"é€😀","d":true}"#.utf8)
        for round in 0..<Sanitizer.rounds(20_000) {
            let bytes = round.isMultiple(of: 4) ? generator.noise() : generator.mutated(seedText)
            let reading = JSONReader.read(bytes)
            #expect(reading.value != nil || !reading.problems.isEmpty)
            #expect(reading.problems.allSatisfy { JSONPointer.isWellFormed($0.pointer.text) })
        }
    }
}
