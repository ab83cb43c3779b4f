import Campaigns
import Testing

struct TemplateRenderingTests {
    @Test func `a device without a variable gets nothing in its place, or the default`() throws {
        #expect(try Rendering.text("Hi {{ first }}!", ["first": "Ana"]) == "Hi Ana!")
        #expect(try Rendering.text("Hi {{ first }}!") == "Hi !")
        #expect(try Rendering.text("Hi {{ first | default: \"there\" }}!") == "Hi there!")
        #expect(try Rendering.text("Hi {{ first | default: 'there' }}!", ["first": ""]) == "Hi there!")
        #expect(try Rendering.text("{{ first | default: nick | upcase }}", ["nick": "bo"]) == "BO")
    }

    @Test func `numbers are exact decimals`() throws {
        #expect(try Rendering.text("{{ 0.1 | plus: 0.2 }}") == "0.3")
        #expect(try Rendering.text("{{ price | times: 3 }}", ["price": "1.15"]) == "3.45")
        #expect(try Rendering.text("{{ 1 | divided_by: 3.0 }}") == "0.333333333333")
        #expect(try Rendering.text("{{ -7 | divided_by: 2 }} {{ -7 | modulo: 3 }}") == "-4 2")
        #expect(try Rendering.text("{{ 2.345 | round: 2 }} {{ -2.5 | round }}") == "2.35 -3")
        #expect(try Rendering.text("{{ 7 | times: 1.0 | divided_by: 2 }}") == "3.5")
    }

    @Test func `what has no result is nothing`() throws {
        let huge = String(repeating: "9", count: 30)
        #expect(try Rendering.text("{{ 1 | divided_by: 0 | default: 'none' }}") == "none")
        #expect(try Rendering.text("{{ n | times: n | default: 'none' }}", ["n": huge]) == "none")
        #expect(try Rendering.text("{{ name | plus: 1 }}", ["name": "Ana"]) == "1")
    }

    @Test(arguments: [
        ("points > 100", true), ("points > 99.5", true), ("points >= 120.0", true), ("points < 9", false),
        ("points == 120", true), ("points == '120'", true), ("points != 120.00", false),
        ("name == 'Ana'", true), ("name contains 'n'", true), ("name contains ''", false),
        ("missing", false), ("empty_one", false), ("no", false), ("name", true), ("zero", true),
        ("missing == blank", true), ("empty_one == nil", true), ("name != empty", true),
        ("missing > 1", false), ("name > 1", false), ("code == '7'", false), ("code == 7", true),
        ("name == 'Bo' or points > 1 and missing", false), ("name == 'Ana' or points > 1 and missing", true),
        ("missing and points or name", false), ("yes == true", true), ("no == false", true),
        ("missing == false", false),
    ])
    func `conditions compare numbers as numbers and texts as texts`(condition: String, holds: Bool) throws {
        let variables = [
            "points": "120", "name": "Ana", "empty_one": "", "no": "false", "yes": "true", "zero": "0", "code": "007",
        ]
        let source = "{% if \(condition) %}yes{% else %}no{% endif %}"
        #expect(try Rendering.text(source, variables) == (holds ? "yes" : "no"))
    }

    @Test func `the first branch whose condition holds is taken`() throws {
        let source = "{% if n > 9 %}many{% elsif n > 1 %}some{% elsif n == 1 %}one{% else %}none{% endif %}"
        for (n, word) in [("10", "many"), ("2", "some"), ("1", "one"), ("0", "none"), ("", "none")] {
            #expect(try Rendering.text(source, ["n": n]) == word)
        }
        let nested = "{% if a %}{% if b %}both{% else %}a{% endif %}{% else %}{% if b %}b{% endif %}{% endif %}"
        #expect(try Rendering.text(nested, ["a": "1", "b": "1"]) == "both")
        #expect(try Rendering.text(nested, ["a": "1"]) == "a")
        #expect(try Rendering.text(nested, ["b": "1"]) == "b")
        #expect(try Rendering.text(nested) == "")
    }

    @Test func `abort drops the device with its reason, but only in the branch that is taken`() throws {
        let source = "{% if club == blank %}{% abort \"no club\" %}{% endif %}{{ club }}"
        #expect(try Rendering.text(source, ["club": "Atleti"]) == "Atleti")
        #expect(try Rendering.text(source) == "[aborted(\"no club\")]")
        #expect(try Rendering.text("{% abort %}") == "[aborted(\"\")]")
    }

    @Test func `white space goes where hyphens ask for it`() throws {
        #expect(try Rendering.text("a  {{- b -}}\n c", ["b": "x"]) == "axc")
        #expect(try Rendering.text("a {%- if b -%} b {%- endif -%} c", ["b": "1"]) == "abc")
        #expect(try Rendering.text("a {{ b }} c", ["b": "x"]) == "a x c")
    }

    @Test func `comments are nothing and raw text is as it stands`() throws {
        #expect(try Rendering.text("a{% comment %}{{ broken {% endcomment %}b{% # also %}c") == "abc")
        #expect(try Rendering.text("{% raw %}{{ x }}{% endraw %}") == "{{ x }}")
        #expect(try Rendering.text("{{ \"}} is not the end\" }}") == "}} is not the end")
    }

    @Test func `letters beyond ASCII have cases, and are truncated as a reader counts them`() throws {
        #expect(try Rendering.text("{{ n | upcase }}", ["n": "josé straße"]) == "JOSÉ STRASSE")
        #expect(try Rendering.text("{{ n | downcase }}", ["n": "ÉCLAIR"]) == "éclair")
        #expect(try Rendering.text("{{ n | capitalize }}", ["n": "éCLAIR du JOUR"]) == "Éclair du jour")
        #expect(try Rendering.text("{{ n | truncate: 5, '…' }}", ["n": "👨‍👩‍👧👍🏽éab c"]) == "👨‍👩‍👧👍🏽éa…")
        #expect(try Rendering.text("{{ n | truncate: 5, '' }}", ["n": "abcdefg"]) == "abcde")
    }

    @Test func `a date is written as its own clock has it, and what is none stays`() throws {
        let at = ["at": "2026-11-20T20:05:09.250+01:00"]
        #expect(
            try Rendering.text("{{ at | date: '%A, %-d %B %Y, %H:%M:%S.%L %z' }}", at)
                == "Friday, 20 November 2026, 20:05:09.250 +0100"
        )
        #expect(
            try Rendering.text("{{ at | date: '%a %^b %e %l:%M %p %j %u %s' }}", at)
                == "Fri NOV 20  8:05 PM 324 5 1795201509"
        )
        #expect(try Rendering.text("{{ d | date: '%d.%m.%y' }}", ["d": "2024-02-29"]) == "29.02.24")
        #expect(try Rendering.text("{{ d | date: '%F %T %Z' }}", ["d": "1795201509"]) == "2026-11-20 19:05:09 UTC")
        for text in ["soon", "2026-02-30", "2026-11-20T25:00", "", "now"] {
            #expect(try Rendering.text("{{ d | date: '%F' }}", ["d": text]) == text)
        }
    }

    @Test func `what a device's texts hold never breaks the JSON around them`() throws {
        var batch = DeviceBatch()
        let hostile = [
            "\"},\"x\":{\"", "\\", "\u{0}\u{1}\u{1F}\n\r\t\u{8}\u{C}", "é\u{2028}👍", "12345678\"90123456\\7",
        ]
        for text in hostile { batch.append(token: [1], variables: ["t": text]) }
        for (payload, text) in zip(try Rendering.payloads("a\"{{ t }}", batch), hostile) {
            let value = JSONReader.read(try #require(payload)).value
            #expect(value?["aps"]?["alert"]?.string == "a\"" + text)
        }
    }

    @Test func `a payload over the limit is none`() throws {
        var batch = DeviceBatch()
        batch.append(token: [1], variables: ["t": String(repeating: "x", count: 80)])
        batch.append(token: [1], variables: ["t": String(repeating: "x", count: 81)])
        let payloads = try Rendering.payloads("{{ t }}", batch, bytesMax: 100)
        #expect(payloads.map { $0?.count } == [100, nil])
        let source = "{{ t" + String(repeating: " | escape", count: 60) + " }}"
        batch = DeviceBatch()
        batch.append(token: [1], variables: ["t": String(repeating: "&", count: 400)])
        #expect(try Rendering.payloads(source, batch) == [nil])
    }

    @Test func `a template that would take too long fails its device, and soon`() throws {
        let long = String(repeating: "a", count: 2000)
        let variables = ["a": long + "b", "b": long + "c"]
        let search = "{% if a contains b %}x{% endif %}"
        #expect(try Rendering.text(search, variables) == "[tooComplex]")
        #expect(try Rendering.text("{% if a contains 'ab' %}x{% endif %}", variables) == "x")
        let cut = "{% if a %}" + String(repeating: "{{ a | truncate: 1, '' }}", count: 600) + "{% endif %}"
        #expect(try Rendering.text(cut, variables) == "[tooComplex]")
    }

    @Test func `a badge is a whole number, or left out with its comma`() throws {
        let program = try TemplateProgram(
            payload: Array(#"{"sound":"default"}"#.utf8),
            placeholders: [TemplatePlaceholder(at: 18, form: .badge, source: "{{ n }}")],
            messageIDAt: nil
        )
        var batch = DeviceBatch()
        let counts = ["3", " 4.0 ", "", "2147483647", "2147483648", "-1", "1.5", "x"]
        for count in counts { batch.append(token: [1], variables: ["n": count]) }
        let renderer = TemplateRenderer(program, batch, bytesMax: 100)
        let results = counts.indices.map { position in
            renderer.render(position).map { "\($0)" } ?? String(decoding: renderer.bytes, as: UTF8.self)
        }
        #expect(
            results == [
                #"{"sound":"default","badge":3}"#, #"{"sound":"default","badge":4}"#, #"{"sound":"default"}"#,
                #"{"sound":"default","badge":2147483647}"#, "invalidBadge", "invalidBadge", "invalidBadge",
                "invalidBadge",
            ]
        )
    }

    @Test func `what is alike is written once, and every device has the bytes of its own`() throws {
        var batch = DeviceBatch()
        for index in 0..<500 { batch.append(token: [1], variables: index % 3 == 0 ? [:] : ["n": "\(index)"]) }
        let source = "{% if n %}{{ n | plus: 1 }}{% else %}-{% endif %}"
        let first = try Rendering.payloads(source, batch)
        #expect(try Rendering.payloads(source, batch) == first)
        for (index, payload) in first.enumerated() {
            let text = index % 3 == 0 ? "-" : "\(index + 1)"
            #expect(payload == Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8))
        }
    }
}
