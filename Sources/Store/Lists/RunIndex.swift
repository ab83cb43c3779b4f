/// The runs of a `TokenFilter` that may have a hash: Bloom filters of 64 runs side by side (Bloom 1970).
///
/// A hash has four places; each place has a bit for every run. The bits that all four places share are the runs that
/// may have the hash: four reads for 16 million devices, and one wrong run for about 400 hashes of each run.
struct RunIndex {
    private static let placeBits: UInt64 = 22
    private static let runsOfBlock = 64

    /// 32 MiB each.
    private var blocks: [[UInt64]] = []
    private var runCount = 0

    /// Adds a run and returns its number.
    mutating func addRun(_ hashes: [UInt128]) -> Int {
        let (number, bit) = (runCount, UInt64(1) << UInt64(runCount % Self.runsOfBlock))
        if number % Self.runsOfBlock == 0 { blocks.append([UInt64](repeating: 0, count: 1 << Self.placeBits)) }
        runCount += 1
        let block = blocks.count - 1
        for hash in hashes {
            let (a, b, c, d) = Self.places(of: hash)
            blocks[block][a] |= bit
            blocks[block][b] |= bit
            blocks[block][c] |= bit
            blocks[block][d] |= bit
        }
        return number
    }

    /// Returns the runs that may have a hash, the latest first; hardly ever one that does not.
    func runs(with hash: UInt128) -> [Int] {
        guard !blocks.isEmpty else { return [] }
        let (a, b, c, d) = Self.places(of: hash)
        var runs: [Int] = []
        for number in blocks.indices.reversed() {
            var bits = blocks[number][a] & blocks[number][b] & blocks[number][c] & blocks[number][d]
            while bits != 0 {
                let bit = 63 - bits.leadingZeroBitCount
                runs.append(number * Self.runsOfBlock + bit)
                bits &= ~(UInt64(1) << UInt64(bit))
            }
        }
        return runs
    }

    /// Returns two numbers of a hash whose bits all depend on all of its bits (the finalizer of SplitMix64).
    static func mixed(_ hash: UInt128) -> (UInt64, UInt64) {
        let (low, high) = (UInt64(truncatingIfNeeded: hash), UInt64(truncatingIfNeeded: hash >> 64))
        func mix(_ value: UInt64) -> UInt64 {
            var word = value
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
        let first = mix(low ^ mix(high))
        return (first, mix(first &+ 0x9E37_79B9_7F4A_7C15))
    }

    private static func places(of hash: UInt128) -> (Int, Int, Int, Int) {
        let (first, second) = mixed(hash)
        let mask = (UInt64(1) << placeBits) - 1
        return (
            Int(truncatingIfNeeded: first & mask), Int(truncatingIfNeeded: first >> 22 & mask),
            Int(truncatingIfNeeded: second & mask), Int(truncatingIfNeeded: second >> 22 & mask)
        )
    }
}
