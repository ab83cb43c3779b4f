import Campaigns
import Seeds
import Testing

/// Random templates and variables: a rendered payload is always JSON, and rendering is repeatable.
struct TemplatePropertyTests {
    private static let pieces = [
        "Hola ", "\"", "\\", "{", "}", "%}", "{{ a }}", "{{ b | upcase }}", "{{ c | default: \"x\" }}", "{{- a -}}",
        "{{ a | truncate: 3 }}", "{{ b | escape | capitalize }}", "{{ c | times: 3.7 | round: 1 }}",
        "{{ a | divided_by: b }}", "{{ a | date: \"%A %-d\" }}", "{% if a > 3 %}", "{% if a contains b and c %}",
        "{% elsif b == blank %}", "{% else %}", "{% endif %}", "{% abort \"no\" %}", "\u{1F468}\u{200D}\u{1F467}", "\n",
        "{% comment %}", "{% endcomment %}", "{{ a", "{{ a | b }}", "{% for %}", "é", "\u{0}", "\u{1B}",
    ]
    private static let values = [
        "", "Ana", "\"", "\\\"", "\u{0}", "\u{1F}\u{7F}", "3", "-2.50", "007", "{{ a }}", "</script>", "é", "👨‍👩‍👧",
        "\u{2028}", "2026-11-20T20:05:00Z", "1795201509", "99999999999999999999999999999999", ".5", "1e9", "\r\n\t",
        "a\u{301}\u{302}", String(repeating: "\"", count: 300), String(repeating: "x", count: 4000),
    ]

    private func batch(_ random: inout SeededRandom) -> DeviceBatch {
        var batch = DeviceBatch()
        for _ in 0..<8 {
            var variables: [String: String] = [:]
            for name in ["a", "b", "c"] where !random.chance(0.2) {
                variables[name] = (0...random.below(2)).map { _ in Self.values[random.below(Self.values.count)] }
                    .joined()
            }
            batch.append(token: [1], variables: variables)
        }
        return batch
    }

    @Test(arguments: 0..<40)
    func `every rendered payload parses as JSON, with any variables, and comes again`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var rendered = 0
        for _ in 0..<250 {
            let source = (0...random.below(8)).map { _ in Self.pieces[random.below(Self.pieces.count)] }.joined()
            guard Rendering.problem(source) == nil else { continue }
            let batch = batch(&random)
            let payloads = try Rendering.payloads(source, batch)
            for case let payload? in payloads {
                let reading = JSONReader.read(payload)
                #expect(reading.problems.isEmpty && payload.count <= 4096, "seed \(seed): \(source)")
                rendered += 1
            }
            #expect(try Rendering.payloads(source, batch) == payloads)
        }
        #expect(rendered > 100)
    }

    @Test(arguments: 0..<20)
    func `bytes that are no UTF-8 reach no payload, and the neighbours get theirs`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var batch = DeviceBatch()
            for _ in 0..<4 { batch.append(token: [1], variables: ["a": "aaaaaaaaaa"]) }
            var bytes = try batch.encoded()
            // The values contain the only run of so many letters a.
            let run = Array(repeating: UInt8(ascii: "a"), count: 40)
            let start = try #require(bytes.indices.first { bytes[$0...].starts(with: run) })
            let broken = random.below(4)
            bytes[start + 10 * broken + random.below(10)] = UInt8(0x80 + random.below(0x80))
            let payloads = try Rendering.payloads("{{ a }}", try DeviceBatch(encoded: bytes))
            #expect(payloads.indices.filter { payloads[$0] == nil } == [broken])
        }
    }
}
