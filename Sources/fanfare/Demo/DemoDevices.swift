import Campaigns
import Foundation

/// Made-up devices: the same ones in every run, so that two runs can be compared.
struct DemoDevices: Sendable {
    /// How many.
    let count: Int

    private static let pageBytes = 1 << 16

    /// Writes them as an audience file (contract, section 3), a page at a time.
    func write(to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure(.failed, "the file \(path) cannot be written") }
        var page = Data("token,id\n".utf8)
        var random = SplitMix(state: 0x0FA4_FA2E)
        for number in 1...count {
            page.append(contentsOf: HexText.of(random.bytes32).utf8)
            page.append(contentsOf: ",device-\(number)\n".utf8)
            if page.count >= Self.pageBytes {
                try file.write(contentsOf: page)
                page.removeAll(keepingCapacity: true)
            }
        }
        try file.write(contentsOf: page)
        try file.close()
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): made-up tokens need to look random and to be the same again, no more.
private struct SplitMix {
    var state: UInt64

    var bytes32: [UInt8] {
        mutating get {
            (0..<4).flatMap { _ in
                let word = next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
            }
        }
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
