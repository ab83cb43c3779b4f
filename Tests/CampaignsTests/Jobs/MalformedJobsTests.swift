import Campaigns
import PushProviders
import Sanitizers
import Testing

@Suite("Malformed jobs")
struct MalformedJobsTests {
    private static let wholes = [
        JobFixtures.minimal, JobFixtures.full, JobFixtures.liveActivity, JobFixtures.background,
    ]

    private func check(_ decoding: JobDecoding) {
        #expect(decoding.job == nil)
        #expect(!decoding.problems.isEmpty)
        for problem in decoding.problems {
            #expect(JSONPointer.isWellFormed(problem.pointer))
            #expect(ProblemCode(rawValue: problem.code) != nil)
            #expect(!problem.detail.isEmpty)
        }
    }

    @Test func `every value of every good job replaced by one of another type is refused at its place`() {
        let strange = ["null", "true", "-7.25", "\"\\u0000\"", "[[]]", "{\"?\": {}}"]
        var count = 0
        for whole in MalformedJobsTests.wholes {
            let root = JSONReader.read(Array(whole.utf8)).value ?? .null
            for path in paths(root) where !path.isEmpty {
                for value in strange where isWrong(value, at: path, in: root) {
                    let text = JobFixtures.patch(whole, path: path, value)
                    check(JobFixtures.decode(text))
                    count += 1
                }
            }
        }
        #expect(count > 300)
    }

    @Test func `every object of every good job refuses a field it does not have`() {
        for whole in MalformedJobsTests.wholes {
            let root = JSONReader.read(Array(whole.utf8)).value ?? .null
            for path in paths(root) where !isFree(path) && object(at: path, in: root) {
                let decoding = JobFixtures.decode(JobFixtures.patch(whole, path: path + ["zzzz"], "1"))
                check(decoding)
                let pointer = "/" + (path + ["zzzz"]).joined(separator: "/")
                #expect(decoding.problems.contains { $0.pointer == pointer && $0.code == "unknown_field" })
            }
        }
    }

    @Test func `cut off anywhere, a job is refused`() {
        for whole in MalformedJobsTests.wholes {
            let bytes = Array(whole.utf8)
            for end in stride(from: 0, to: bytes.count, by: 3) {
                check(
                    JobDecoder.decode(
                        Array(bytes[..<end]),
                        envelope: JobEnvelope(now: JobFixtures.now, tokens: ProviderRegistry.tokens)
                    )
                )
            }
        }
    }

    @Test func `C7: twenty thousand seeded mutations are taken or refused, never trapped on`() {
        var generator = MutationGenerator(seed: 42)
        var refused = 0
        for round in 0..<Sanitizer.rounds(20_000) {
            let whole = Array(MalformedJobsTests.wholes[round % 4].utf8)
            let bytes = generator.mutated(whole)
            let decoding = JobDecoder.decode(
                bytes,
                envelope: JobEnvelope(now: JobFixtures.now, tokens: ProviderRegistry.tokens)
            )
            if let job = decoding.job {
                #expect(decoding.problems.isEmpty)
                #expect(throws: Never.self) { try Job(stored: job.storedJSON()) }
            } else {
                check(decoding)
                refused += 1
            }
        }
        #expect(refused > Sanitizer.rounds(5_000))
    }

    @Test func `C7: garbage of every sort is refused`() {
        var generator = MutationGenerator(seed: 1)
        var texts: [[UInt8]] = [
            [], [0], [0xFF, 0xFE], [0xEF, 0xBB, 0xBF], Array("\u{FEFF}{}".utf8), Array("<job/>".utf8),
            Array("id: x".utf8), Array(repeating: 0x5B, count: 1 << 20), Array(repeating: 0x7B, count: 1 << 20),
            Array(repeating: 0x22, count: 1 << 20), Array(repeating: 0x2F, count: 1 << 20),
            Array(repeating: 0x20, count: (4 << 20) + 1),
        ]
        texts += JobFixtures.minimal.utf16.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }.reduce([[]]) {
            [$0[0] + $1]
        }
        texts += (0..<500).map { _ in generator.noise() }
        for bytes in texts {
            check(
                JobDecoder.decode(bytes, envelope: JobEnvelope(now: JobFixtures.now, tokens: ProviderRegistry.tokens))
            )
        }
    }

    // MARK: Walking

    /// Returns the paths of all values, including the deepest.
    private func paths(_ value: JSONValue, _ path: [String] = []) -> [[String]] {
        switch value {
        case .object(let members): [path] + members.flatMap { paths($0.value, path + [$0.name]) }
        case .array(let elements): [path] + elements.enumerated().flatMap { paths($1, path + [String($0)]) }
        default: [path]
        }
    }

    private func value(at path: [String], in root: JSONValue) -> JSONValue? {
        path.reduce(root) { value, name in
            if let elements = value?.array { return Int(name).map { elements[$0] } }
            return value?[name]
        }
    }

    private func object(at path: [String], in root: JSONValue) -> Bool { value(at: path, in: root)?.members != nil }

    /// Returns true if the values at or below a path are the producer's own.
    private func isFree(_ path: [String]) -> Bool {
        let names = ["data", "apns", "metadata", "variables", "content_state", "attributes"]
        return path.last == "localizations" || path.contains { names.contains($0) }
    }

    /// Returns true if a value of that kind violates the contract there.
    private func isWrong(_ text: String, at path: [String], in root: JSONValue) -> Bool {
        let new = JSONReader.read(Array(text.utf8)).value ?? .null
        guard let old = value(at: path, in: root) else { return false }
        if isFree(Array(path.dropLast())) || path.last == "apns" && new.members != nil { return false }
        if isFree(path), new.members != nil, path.last != "metadata", path.last != "variables" { return false }
        return old.typeName != new.typeName || new == "\u{0}" || new.array != nil || new.members != nil
    }
}
