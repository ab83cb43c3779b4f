import Campaigns

/// The facts about a chunk's devices when it is cut, by their positions.
public struct KnownDevices: Sendable, Equatable {
    /// The devices whose tokens a provider has called dead.
    public var dead: DeadBits
    /// The devices whose tokens were called wrong once.
    public var suspects: DeadBits
    /// The devices that want no messages.
    public var optedOut: DeadBits
    /// The devices that have had as many pushes as the app's frequency cap allows.
    public var capped: DeadBits

    /// Facts; none by default.
    public init(
        dead: DeadBits = DeadBits(),
        suspects: DeadBits = DeadBits(),
        optedOut: DeadBits = DeadBits(),
        capped: DeadBits = DeadBits()
    ) {
        self.dead = dead
        self.suspects = suspects
        self.optedOut = optedOut
        self.capped = capped
    }

    /// Returns true if no fact ends the device before any push is counted.
    public func mayGetIt(_ position: Int) -> Bool { !dead[position] && !optedOut[position] }

    func isSuspect(_ position: Int) -> Bool {
        suspects[position] && mayGetIt(position) && !capped[position]
    }

    /// The endings of the devices that are not sent to; nil if all devices are sent to.
    fileprivate func endings(_ positions: [UInt16], count: Int) -> Progress? {
        guard !dead.isEmpty || !optedOut.isEmpty || !capped.isEmpty else { return nil }
        var progress = Progress(count: count)
        for index in 0..<count {
            let position = positions.isEmpty ? index : Int(positions[index])
            if optedOut[position] {
                progress.end(index, .skipped, Progress.Note(reason: "OptedOut", requests: 0))
            } else if dead[position] {
                // The provider has said so once, and is not asked again.
                progress.end(index, .invalid, Progress.Note(reason: "Unregistered", requests: 0))
            } else if capped[position] {
                progress.end(index, .skipped, Progress.Note(reason: "FrequencyCap", requests: 0))
            }
        }
        return progress
    }
}

/// The rows into which a chunk of a list is cut.
public struct ChunkRows: Sendable, Equatable {
    /// The devices whose tokens were called wrong once, and which wait for all others; nil if there are none.
    public let apart: ShardRecord?
    /// The other devices: one row, its pieces under a rate, or no row if all devices are apart.
    public let rows: [ShardRecord]

    /// Cuts a chunk.
    ///
    /// - Parameters:
    ///   - chunk: The chunk's number in the list.
    ///   - count: The number of its devices.
    ///   - campaign: The campaign.
    ///   - known: The facts about the devices.
    ///   - cut: The kind of the rows.
    public init(chunk: UInt32, count: Int, of campaign: UInt32, _ known: KnownDevices, as cut: Cut) {
        var (others, suspects): ([UInt16], [UInt16]) = ([], [])
        if !known.suspects.isEmpty {
            for position in 0..<UInt16(count) {
                if known.isSuspect(Int(position)) { suspects.append(position) } else { others.append(position) }
            }
        }
        guard suspects.count < count else {
            apart = Self.apart(chunk, suspects, of: campaign)
            rows = []
            return
        }
        apart = suspects.isEmpty ? nil : Self.apart(chunk, suspects, of: campaign)
        let size = others.isEmpty ? count : others.count
        let progress = known.endings(others, count: size) ?? Progress(count: size)
        rows = Self.row(chunk, part: 0, others, progress, of: campaign).cut(as: cut)
    }

    private static func apart(_ chunk: UInt32, _ positions: [UInt16], of campaign: UInt32) -> ShardRecord? {
        guard !positions.isEmpty else { return nil }
        let progress = Progress(count: positions.count)
        var row = row(chunk, part: ShardKey.suspectPart, positions, progress, of: campaign)
        (row.state, row.aside) = (.aside, .suspect)
        return row
    }

    private static func row(
        _ chunk: UInt32,
        part: UInt32,
        _ positions: [UInt16],
        _ progress: Progress,
        of campaign: UInt32
    ) -> ShardRecord {
        ShardRecord(
            id: ShardID(key: ShardKey(campaign: campaign, part: part, ordinal: chunk)),
            state: .unpublished,
            generation: 1,
            epoch: 0,
            owner: 0,
            attempt: 1,
            rung: nil,
            notBefore: nil,
            dueAt: nil,
            chunk: chunk,
            positions: positions,
            count: progress.count,
            progress: progress,
            aside: nil
        )
    }

    /// The settlement of a row that has no device to be sent to; nil if it has one.
    public static func settling(_ row: ShardRecord) throws(UnlawfulShard) -> RowSettling? {
        row.progress.pendingCount == 0 ? try RowSettling(row, endingAs: .invalid) : nil
    }
}

extension ShardRecord {
    fileprivate func cut(as cut: Cut) -> [ShardRecord] {
        var row = self
        switch cut {
        case .unpublished: break
        case .claimed(let worker): row = row.claimed(by: worker)
        case .held: (row.state, row.aside) = (.aside, .held)
        case .inTurns(let pieceMax): return row.pieces(devicesMax: pieceMax)
        }
        return [row]
    }
}
