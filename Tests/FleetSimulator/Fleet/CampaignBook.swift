/// The record of one campaign: its requests and answers at the push service, and the instants of the ledger's changes.
struct CampaignBook {
    let campaign: FleetCampaign
    /// The latest account.
    private(set) var account: CampaignAccount?
    /// The instants at which the ledger first had the devices' outcomes.
    private var endedAt: [Int: Int64] = [:]
    /// The instants at which requests were opened, in their order.
    private(set) var openings: [Int64] = []
    private(set) var pushes: [Int: Int] = [:]
    /// The devices that the push service accepted, and those that it called dead.
    private(set) var accepted: Set<Int> = []
    private(set) var dead: Set<Int> = []
    /// The times in which it was stopped; without an end for good.
    private var stops: [(from: Int64, until: Int64?, why: String)] = []
    /// The instant of its release; nil while it is held or unknown.
    private var releasedAt: Int64?
    /// True from a loss of power until the ledger is read again: what was not synced is undone.
    private var mayForget = false
    /// The instant of the first jump of a clock, and that from which the campaign was in the ledger.
    private let firstJump: Int64?
    private var seenAt: Int64?

    init(_ campaign: FleetCampaign, firstJump: Int64?) { (self.campaign, self.firstJump) = (campaign, firstJump) }

    var isOver: Bool { account?.campaign.isOver ?? false }

    // MARK: - The push service

    /// Notes a request that the service has processed.
    mutating func opened(_ device: Int, at instant: Int64) {
        pushes[device, default: 0] += 1
        let place = openings.lastIndex { $0 <= instant }.map { $0 + 1 } ?? 0
        openings.insert(instant, at: place)
    }

    mutating func answered(_ device: Int, status: Int) {
        if status == 200 { accepted.insert(device) }
        if status == 410 { dead.insert(device) }
    }

    // MARK: - The ledger

    /// Takes a new account; returns what it says that cannot be.
    mutating func take(_ account: CampaignAccount, at now: Int64) -> String? {
        let before = self.account
        self.account = account
        seenAt = seenAt ?? now
        note(account.campaign, at: now)
        guard account.devices.count == campaign.devices.count else {
            return "has \(account.devices.count) devices of \(campaign.devices.count)"
        }
        for (number, index) in zip(campaign.devices, account.devices.indices) {
            let (old, new) = (before?.devices[index].outcome ?? 0, account.devices[index].outcome)
            guard old != new else { continue }
            if mayForget, new == 0 {
                endedAt[number] = nil
                continue
            }
            if let wrong = wrong(old, new, number, at: now) { return "says of device \(number): \(wrong)" }
            endedAt[number] = now
        }
        mayForget = false
        return account.fault
    }

    /// Notes that the ledger's disk has lost what was not synced: answers are asked for again.
    mutating func powerLost() { mayForget = true }

    private mutating func note(_ row: LedgerCampaign, at now: Int64) {
        if !row.isHeld, releasedAt == nil { releasedAt = now }
        if row.isPaused, stops.last?.why != "paused" || stops.last?.until != nil { stops.append((now, nil, "paused")) }
        if !row.isPaused, let last = stops.last, last.why == "paused", last.until == nil {
            stops[stops.count - 1].until = now
        }
        let isStopped = row.stage == "cancelled"
        if isStopped, !stops.contains(where: { $0.why == "cancelled" }) { stops.append((now, nil, "cancelled")) }
    }

    /// Returns what speaks against a device's outcome.
    private func wrong(_ before: Int, _ outcome: Int, _ device: Int, at now: Int64) -> String? {
        let names = ["pending"] + LedgerShard.outcomes
        if before != 0 { return "\(names[before]), and then \(names[outcome])" }
        let isRight =
            switch (names[outcome], campaign.kind) {
            case ("accepted", _): accepted.contains(device)
            case ("invalid", _): dead.contains(device)
            case ("cancelled", .cancelled), ("superseded", .older), ("failed", _): true
            case ("expired", _): mayExpire(at: now)
            default: false
            }
        return isRight ? nil : "\(names[outcome]), for which there is no reason"
    }

    /// True if devices of the campaign may expire: the next rung may be beyond the end by a clock that is a tenth fast.
    ///
    /// A clock that jumps while the campaign is in the ledger brings no end nearer.
    private func mayExpire(at now: Int64) -> Bool {
        guard let after = campaign.endsAfter, let account, let seenAt else { return false }
        let end = Int64(account.campaign.expiresAt) * 1_000_000 - FleetWorld.epoch
        return Int64(after) * 1_000_000 < Self.longestRung || now + now / 8 + Self.longestRung >= end
            || firstJump ?? .max <= seenAt
    }

    /// The longest time for which a device waits to be tried again, in nanoseconds.
    private static let longestRung: Int64 = 1_980_000_000_000

    // MARK: - The laws of a request

    /// Returns the law that a request breaks; `late` is the time that a worker may take to hear of a change.
    func lawBroken(by device: Int, at opened: Int64, late: Int64) -> String? {
        if let end = endedAt[device], opened > end { return "\((opened - end) / 1_000) µs after its outcome" }
        for stop in stops where opened > stop.from + late && opened < stop.until ?? .max {
            return "\((opened - stop.from) / 1_000_000) ms after the campaign was \(stop.why)"
        }
        if case .held = campaign.kind, opened < releasedAt ?? .max { return "before the campaign was fired" }
        return nil
    }

    /// Returns the most requests in a second around an instant.
    func rate(around instant: Int64) -> Int {
        let second: Int64 = 1_000_000_000
        let near = openings.filter { $0 > instant - second && $0 < instant + second }
        return near.map { begin in near.count { $0 >= begin && $0 < begin + second } }.max() ?? 0
    }
}
