import Campaigns

extension ShardRecord {
    /// Splits the devices into rows of limited size, which wait for their turns under a rate.
    ///
    /// The first piece has the ordinal of the chunk; the others have their number above it. A list has fewer than 2^23
    /// chunks (four billion devices in chunks of 500), and a chunk fewer than 2^9 pieces.
    public func pieces(devicesMax: Int) -> [ShardRecord] {
        let indexes = Array(0..<count)
        let size = id.key.ordinal < 1 << Self.ordinalBits ? max(1, devicesMax) : count
        return stride(from: 0, to: count, by: size).enumerated().map { number, start in
            let part = indexes[start..<min(count, start + size)]
            var row = self
            row.id.key.ordinal += UInt32(number) << Self.ordinalBits
            row.count = part.count
            if part.count < count { row.positions = part.map { positions.isEmpty ? UInt16($0) : positions[$0] } }
            row.progress = progress.of(part)
            (row.state, row.aside) = (.aside, .rate)
            return row
        }
    }

    /// The ordinal of the next piece of the same chunk; nil after the last possible one.
    public static func nextPiece(_ ordinal: UInt32) -> UInt32? {
        let (next, isOver) = ordinal.addingReportingOverflow(1 << ordinalBits)
        return isOver ? nil : next
    }

    private static let ordinalBits: UInt32 = 23
}

extension Progress {
    /// The progress of some of the devices.
    fileprivate func of(_ indexes: ArraySlice<Int>) -> Progress {
        var result = Progress(count: indexes.count)
        for (index, old) in indexes.enumerated() {
            guard case .outcome(let outcome) = state(at: old) else { continue }
            result.end(index, outcome, notes[UInt16(old)] ?? Note())
        }
        return result
    }
}
