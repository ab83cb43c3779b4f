import PushProviders
import Sanitizers
import Testing

@testable import Campaigns

@Suite("Audience files")
struct AudienceFileTests {
    private static let token = JobFixtures.token
    private static let other = String(repeating: "0f", count: 32)

    /// Reads a text in pieces of a size; returns devices with their lines, and the report.
    private func read(
        _ text: String,
        _ format: AudienceFileFormat,
        pieces size: Int = .max
    ) -> (devices: [(Device, Int)], report: AudienceFileReport) {
        read(Array(text.utf8), format, pieces: size)
    }

    private func read(
        _ bytes: [UInt8],
        _ format: AudienceFileFormat,
        pieces size: Int = .max
    ) -> (devices: [(Device, Int)], report: AudienceFileReport) {
        var reader = AudienceFileReader(format, tokens: ProviderRegistry.tokens)
        var devices: [(Device, Int)] = []
        var offset = 0
        while offset < bytes.count {
            let end = offset + min(size, bytes.count - offset)
            reader.read(Array(bytes[offset..<end])) { devices.append(($0, $1)) }
            offset = end
        }
        reader.finish { devices.append(($0, $1)) }
        return (devices, reader.report)
    }

    private func problems(_ report: AudienceFileReport) -> [String] {
        report.problems.map { "\($0.line):\($0.column) \($0.code.rawValue)" }
    }

    private static let csv =
        "\u{FEFF}token,id,first,provider,environment,locale,time_zone\r\n"
        + "\(token.uppercased()),ana,\"Ana, \"\"la\"\" \r\nbuena\",apns,sandbox,es-ES,Europe/Madrid\r\n"
        + "\r\n"
        + "\(other),,,,,,\r\n"
        + "\"\(token)\",,É"
        + ",,,,"

    @Test(arguments: [1, 2, 3, 7, 64, .max])
    func `CSV is read the same in pieces of any size`(size: Int) {
        let (devices, report) = read(AudienceFileTests.csv, .csv, pieces: size)
        #expect(problems(report).isEmpty)
        #expect(report.deviceCount == 3)
        #expect(devices.map(\.1) == [2, 5, 6])
        let ana = Device(
            token: AudienceFileTests.token,
            environment: .sandbox,
            id: "ana",
            locale: "es-ES",
            timeZone: "Europe/Madrid",
            variables: ["first": "Ana, \"la\" \r\nbuena"]
        )
        #expect(devices.map(\.0).first == ana)
        #expect(devices.map(\.0).dropFirst().first == Device(token: AudienceFileTests.other))
        #expect(devices.map(\.0).last?.variables == ["first": "É"])
    }

    @Test(arguments: [1, 5, 80, .max])
    func `NDJSON is read the same in pieces of any size`(size: Int) {
        let text = """
            {"token": "\(AudienceFileTests.token)", "variables": {"n": 1.50, "ok": true}}\r

            {"token": "\(AudienceFileTests.other.uppercased())", "id": "b", "environment": "production"}
            """
        let (devices, report) = read(text, .ndjson, pieces: size)
        #expect(problems(report).isEmpty)
        #expect(devices.map(\.1) == [1, 3])
        #expect(devices.map(\.0).first?.variables == ["n": "1.50", "ok": "true"])
        #expect(devices.map(\.0).last?.token == AudienceFileTests.other)
    }

    @Test(arguments: [
        ("", "1:1 required"), ("id,first\n", "1:1 required"), ("Token\n", "1:1 required"),
        ("token;id\n", "1:1 required"), ("token,token\n", "1:1 duplicate_field"), ("token,\n", "1:1 empty"),
        ("token,\"a\"b\n", "1:10 syntax"), ("\u{0}t", "1:1 encoding"),
    ])
    func `a CSV without a usable header is refused as a whole`(text: String, problem: String) {
        let (devices, report) = read(text + "\(AudienceFileTests.token)\n", .csv)
        #expect(devices.isEmpty && report.isUnusable)
        #expect(problems(report) == [problem])
    }

    @Test func `an empty file is refused`() {
        #expect(read("", .csv).report.isUnusable)
        #expect(problems(read("token,id\n\n", .csv).report) == ["1:1 empty"])
        #expect(read("\n \n", .ndjson).report.isUnusable)
    }

    @Test(arguments: [
        ("abc,,", "2:1 format"), ("{t}", "2:1 syntax"), ("{t},,,", "2:1 syntax"), (",a,", "2:1 format"),
        ("{t},a\"b,", "2:67 syntax"), ("{t},\"a\" ,", "2:69 syntax"), ("{t},,ES_es", "2:67 format"),
        ("{t},\"x,\n", "2:66 syntax"), ("{t},{256}a,", "2:66 format"), ("{t},\u{0},", "2:66 format"),
    ])
    func `a CSV line with a mistake is left out and said`(line: String, problem: String) {
        let long = String(repeating: "i", count: 256)
        let text = line.replacing("{t}", with: AudienceFileTests.token).replacing("{256}", with: long)
        let (devices, report) = read("token,id,locale\n" + text, .csv)
        #expect(problems(report) == [problem])
        #expect(devices.isEmpty && report.refusedCount == 1 && !report.isUnusable)
        #expect(report.problems.allSatisfy { !$0.detail.contains("ab12") })
    }

    @Test func `a CSV goes on after a line with a mistake`() {
        let text = "token,id\n\(AudienceFileTests.token),a\"b\"\n\(AudienceFileTests.other),b\n"
        let (devices, report) = read(text, .csv)
        #expect(devices.map(\.1) == [3])
        #expect(report.refusedCount == 1 && report.deviceCount == 1)
    }

    @Test func `CSV that is not UTF-8 is refused where it is`() {
        let line = Array("token,first\n\(AudienceFileTests.token),Jos".utf8) + [0xE9, 0x0A]
        #expect(problems(read(line, .csv).report) == ["2:66 encoding"])
        #expect(problems(read([0xFF, 0xFE, 0x74, 0x00], .csv).report) == ["1:1 encoding"])
    }

    @Test func `a column that is nearly one of ours is a variable with a warning`() {
        let (devices, report) = read("token,timezone\n\(AudienceFileTests.token),x\n", .csv)
        #expect(devices.map(\.0).first?.variables == ["timezone": "x"])
        #expect(report.warnings.map(\.fix) == ["did you mean time_zone?"])
    }

    @Test(arguments: [
        ("{\"token\": \"abc\"}", "1:11 format"), ("{\"tokn\": \"{t}\"}", "1:10 unknown_field,1:1 required"),
        ("{\"token\": \"{t}\"", "1:77 syntax"), ("[]", "1:1 type"), ("{\"token\": NaN}", "1:11 syntax"),
        ("{\"token\": \"{t}\", \"provider\": \"hms\"}", "1:91 value"),
        ("{\"token\": \"{t}\", \"variables\": {\"a\": [1]}}", "1:98 type"),
    ])
    func `an NDJSON line with a mistake is left out and said`(line: String, problem: String) {
        let text = line.replacing("{t}", with: AudienceFileTests.token)
        let (devices, report) = read(text + "\n{\"token\": \"\(AudienceFileTests.other)\"}\n", .ndjson)
        #expect(problems(report).joined(separator: ",") == problem)
        #expect(devices.map(\.1) == [2])
        #expect(report.refusedCount == 1)
    }

    @Test(arguments: AudienceFileFormat.allCases)
    func `a line without end does not fill the memory`(format: AudienceFileFormat) {
        let header = format == .csv ? "token,id\n" : ""
        let long =
            format == .csv ? "\"" + String(repeating: "a,", count: 100_000) : String(repeating: "a", count: 200_000)
        let good = format == .csv ? "\(AudienceFileTests.token),x" : "{\"token\": \"\(AudienceFileTests.token)\"}"
        let (devices, report) = read(header + long + "\n" + good + "\n", format, pieces: 4096)
        #expect(report.problems.map(\.code) == [.tooLarge])
        #expect(devices.count == 1)
    }

    @Test func `a line of nothing but commas is one mistake, and what follows is read`() {
        let commas = String(repeating: ",", count: 100_000)
        let text = "token,id\n\(commas)\n\(AudienceFileTests.token),ana\n"
        let (devices, report) = read(text, .csv, pieces: 4096)
        #expect(problems(report) == ["2:1 too_many"] && report.refusedCount == 1)
        #expect(devices.map(\.1) == [3])
        var scanner = CSVRecordScanner()
        Array((commas + "\n").utf8).withUnsafeBufferPointer { piece in _ = scanner.scan(piece, from: 0) }
        #expect(scanner.count < 1024)
        // A line with the maximum number of fields is valid.
        let most = String(repeating: ",", count: CSVRecordScanner.fieldsMax - 1)
        #expect(problems(read("token,id\n\(most)\n", .csv).report) == ["2:1 syntax"])
        // A header of commas leaves nothing to read.
        #expect(read(commas + "\n" + text, .csv).report.isUnusable)
    }

    @Test func `a hundred problems are kept and all are counted`() {
        let (_, report) = read("token\n" + String(repeating: "no\n", count: 1000), .csv)
        #expect(report.problems.count == 100)
        #expect(report.problemCount == 1000 && report.refusedCount == 1000)
    }

    @Test(arguments: [("a.CSV", AudienceFileFormat.csv), ("x/y.ndjson", .ndjson), ("a.json", nil), ("csv", nil)])
    func `the form follows from the file's name`(name: String, format: AudienceFileFormat?) {
        #expect(AudienceFileFormat(fileName: name) == format)
    }

    @Test func `random files never trap, whatever the pieces`() {
        var generator = MutationGenerator(seed: 99)
        for round in 0..<Sanitizer.rounds(3000) {
            let csv = Array(AudienceFileTests.csv.utf8)
            let bytes = round.isMultiple(of: 5) ? generator.noise() : generator.mutated(csv)
            let whole = read(bytes, .csv)
            let pieces = read(bytes, .csv, pieces: 1 + generator.below(30))
            #expect(whole.report == pieces.report)
            #expect(whole.devices.map(\.0) == pieces.devices.map(\.0))
            _ = read(bytes, .ndjson, pieces: 1 + generator.below(30))
        }
    }
}
