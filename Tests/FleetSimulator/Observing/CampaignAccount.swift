/// The account of one campaign: each of its devices, as the rows of the ledger have it at one instant.
///
/// The law: audience = accepted + invalid + failed + expired + superseded + cancelled + skipped + pending. It is asked
/// for device by device: each is in one place only, and the places are as many as the audience.
struct CampaignAccount {
    /// The state of a device.
    struct Device: Equatable {
        /// The number of its outcome; 0 while it is pending.
        var outcome = 0
        /// The rows that have an answer for it: outcomes, retries, and what ended with a row.
        var reports = 0
        /// The claim of the row that it waits in.
        var epoch = 0
        /// The shard that it waits in; nil without one.
        var shard: LedgerShard.Key?
    }

    /// The chunks of the campaign's list: the index of the first device of each, and their number.
    typealias Chunks = [Int: (first: Int, count: Int)]

    let campaign: LedgerCampaign
    private(set) var devices: [Device]
    /// The first thing that is wrong.
    private(set) var fault: String?

    init(_ campaign: LedgerCampaign, _ shards: [LedgerShard], _ chunks: Chunks) {
        self.campaign = campaign
        let listed = chunks.values.reduce(0) { $0 + $1.count }
        devices = Array(repeating: Device(), count: listed)
        var isCut = Array(repeating: false, count: listed)
        for shard in shards { add(shard, chunks, &isCut) }
        settleRest(chunks, isCut)
    }

    private mutating func broke(_ what: String) { if fault == nil { fault = what } }

    /// Adds the devices of a row; those that it handed on to a retry are in another one.
    private mutating func add(_ shard: LedgerShard, _ chunks: Chunks, _ isCut: inout [Bool]) {
        guard let places = shard.places, let codes = shard.codes, let chunk = chunks[shard.chunk] else {
            return broke("\(shard.key) cannot be read")
        }
        if let wrong = shard.wrongCounts(codes) { broke("\(shard.key) \(wrong)") }
        for (place, code) in zip(places, codes) {
            guard place < chunk.count else { return broke("\(shard.key) has place \(place) of \(chunk.count)") }
            let index = chunk.first + place
            isCut[index] = true
            if code != 0 { devices[index].reports += 1 }
            let isHandedOn = shard.isSettled && (8...13).contains(code)
            if isHandedOn { continue }
            let other = devices[index]
            if other.outcome != 0 || other.shard != nil { broke("device \(index) is in two places") }
            if (1...7).contains(code) {
                devices[index].outcome = Int(code)
            } else if shard.isSettled {
                broke("\(shard.key) is settled, and device \(index) has code \(code)")
            }
            (devices[index].shard, devices[index].epoch) = (shard.key, shard.epoch)
        }
    }

    /// Gives the devices that are in no row the campaign's end, or leaves them pending.
    private mutating func settleRest(_ chunks: Chunks, _ isCut: [Bool]) {
        var rest = 0
        for (ordinal, chunk) in chunks {
            for index in chunk.first..<chunk.first + chunk.count where devices[index].shard == nil {
                if isCut[index] { broke("device \(index) was handed on, and no row has it") }
                rest += 1
                if let outcome = campaign.restOutcome { devices[index].outcome = outcome }
                if ordinal < campaign.cursor, campaign.restOutcome == nil { broke("device \(index) is in no row") }
            }
        }
        if campaign.restOutcome != nil, rest != campaign.restDevices {
            broke("\(campaign.restDevices) devices were left when it ended, and \(rest) are in no row")
        }
        let all = devices.count + campaign.skipped
        if campaign.audience != all { broke("its audience is \(campaign.audience), and it has \(all) devices") }
        let pending = devices.count { $0.outcome == 0 }
        if campaign.isOver, pending > 0 { broke("it is over, and \(pending) devices are pending") }
    }
}
