import Foundation
import FuzzTargets
import Seeds
import Testing

/// Every input that fuzzing has kept, including past crashes, goes through its target on every run.
@Suite("Kept fuzz inputs")
struct KeptInputsTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    private static func inputs(_ target: String) throws -> [URL] {
        let folder = corpus.appendingPathComponent(target)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `no kept input traps`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Self.inputs(name)
        #expect(!inputs.isEmpty)
        for input in inputs { target.run([UInt8](try Data(contentsOf: input))) }
    }

    @Test func `every folder of inputs has its target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
        #expect(folders == FuzzTarget.all.map(\.name).sorted())
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `inputs with damage done to them do not trap either`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        var random = SeededRandom(seed: 4711)
        for input in try Self.inputs(name).prefix(40) {
            let bytes = [UInt8](try Data(contentsOf: input))
            for _ in 0..<25 { target.run(random.damaged(bytes)) }
        }
    }
}

extension SeededRandom {
    /// Returns the bytes with some of them changed, removed or doubled.
    fileprivate mutating func damaged(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...below(4) where !bytes.isEmpty {
            let at = below(bytes.count)
            switch below(4) {
            case 0: bytes[at] = UInt8(truncatingIfNeeded: next())
            case 1: bytes[at] ^= 1 << UInt8(below(8))
            case 2: bytes.removeSubrange(at..<min(at + 1 + below(20), bytes.count))
            default: bytes.insert(contentsOf: bytes[at..<min(at + 12, bytes.count)], at: at)
            }
        }
        return bytes
    }
}
