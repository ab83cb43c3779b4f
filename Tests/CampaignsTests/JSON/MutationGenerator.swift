import Campaigns
import Seeds

/// A seeded source of mutations: the same seed gives the same ones.
struct MutationGenerator: RandomNumberGenerator {
    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    mutating func noise() -> [UInt8] {
        let alphabet = Array("{}[]\",:\\u0019tfn-+.eE /\n".utf8) + [0, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
        return (0..<below(60)).map { _ in alphabet[below(alphabet.count)] }
    }

    /// Returns the bytes with one to four of them changed, removed or inserted, or a piece doubled.
    mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...below(4) {
            let index = below(bytes.count)
            switch below(5) {
            case 0 where !bytes.isEmpty: bytes[index] = UInt8(truncatingIfNeeded: next())
            case 1 where !bytes.isEmpty: bytes.remove(at: index)
            case 2: bytes.insert(UInt8(truncatingIfNeeded: next()), at: min(index, bytes.count))
            case 3: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + below(12))], at: index)
            default: bytes.removeLast(min(bytes.count, below(8)))
            }
        }
        return bytes
    }

    mutating func value(depth: Int) -> JSONValue {
        switch below(depth > 4 ? 5 : 7) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .number(JSONNumber(Int64(bitPattern: next())))
        case 3: return .number(JSONNumber(text: "-\(below(1000)).\(below(1000))e-\(below(40))"))
        case 4: return .string(text())
        case 5: return .array((0..<below(5)).map { _ in value(depth: depth + 1) })
        default: return .object((0..<below(12)).map { JSONMember("\($0)" + text(), value(depth: depth + 1)) })
        }
    }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\n", "\u{0}", "é", "€", "😀", "\u{1f}", "/", "\u{2028}"]
        var text = ""
        for _ in 0..<below(12) { text.unicodeScalars.append(scalars[below(scalars.count)]) }
        return text
    }
}
