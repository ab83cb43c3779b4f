import Campaigns
import Delivery

/// A chunk that becomes a shard.
struct PlannableChunk {
    var ordinal: UInt32
    var firstIndex: UInt32
    var count: Int
    var provider: ProviderName
    var environment: String?
    var locale: String?
    var devices: [UInt8]
    var dead: DeadBits
    var suspects: DeadBits
    var optedOut: DeadBits
    /// Those that the frequency cap leaves out.
    var capped = DeadBits()
    /// Where it stands in the order in which the campaign is cut.
    var position: UInt32
    /// nil in a campaign that is not cut by provider or time zone.
    var part: OpenPart?

    /// The row of the devices that nothing is known against; nil when there is none.
    func record(campaign: UInt32, as kind: LedgerTransaction.Cut) -> ShardRecord? {
        var positions: [UInt16] = []
        if !suspects.isEmpty {
            positions = (0..<UInt16(count)).filter { !isSuspect(Int($0)) }
            if positions.isEmpty { return nil }
        }
        var progress = Progress(count: positions.isEmpty ? count : positions.count)
        if !dead.isEmpty || !optedOut.isEmpty || !capped.isEmpty {
            for place in 0..<progress.count {
                let position = positions.isEmpty ? place : Int(positions[place])
                if optedOut[position] {
                    progress.end(place, .skipped, Progress.Note(reason: "OptedOut", requests: 0))
                } else if dead[position] {
                    // What the provider has said once is not asked again.
                    progress.end(place, .invalid, Progress.Note(reason: "Unregistered", requests: 0))
                } else if capped[position] {
                    progress.end(place, .skipped, Progress.Note(reason: "FrequencyCap", requests: 0))
                }
            }
        }
        var row = row(campaign: campaign, part: 0, positions: positions, progress: progress)
        switch kind {
        case .unpublished: break
        case .claimed(let worker): (row.state, row.epoch, row.owner) = (.running, 1, worker)
        case .held: (row.state, row.aside) = (.aside, .held)
        }
        return row
    }

    /// The row of the devices whose tokens were called wrong once, which waits for all others; nil when there is none.
    func suspectRecord(campaign: UInt32) -> ShardRecord? {
        let positions = suspects.isEmpty ? [] : (0..<UInt16(count)).filter { isSuspect(Int($0)) }
        guard !positions.isEmpty else { return nil }
        var row = row(
            campaign: campaign,
            part: ShardKey.suspectPart,
            positions: positions,
            progress: Progress(count: positions.count)
        )
        (row.state, row.aside) = (.aside, .suspect)
        return row
    }

    /// Whether nothing is known against a device that ends it before anything is counted.
    func mayGetIt(_ position: Int) -> Bool { !dead[position] && !optedOut[position] }

    private func isSuspect(_ position: Int) -> Bool {
        suspects[position] && mayGetIt(position) && !capped[position]
    }

    private func row(campaign: UInt32, part: UInt32, positions: [UInt16], progress: Progress) -> ShardRecord {
        ShardRecord(
            id: ShardID(key: ShardKey(campaign: campaign, part: part, ordinal: ordinal)),
            state: .unpublished,
            generation: 1,
            epoch: 0,
            owner: 0,
            attempt: 1,
            rung: nil,
            notBefore: nil,
            dueAt: nil,
            chunk: ordinal,
            positions: positions,
            count: progress.count,
            progress: progress,
            aside: nil
        )
    }
}
