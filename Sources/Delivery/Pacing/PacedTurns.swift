public import Campaigns
public import PushProviders

/// The turns that one poll of a campaign under a rate gives away (design, section 10, Rate).
///
/// The ledger passes what it has read and writes what is given, in one transaction of the planner that has the lease.
/// Due retries come before new shards. The lines of the campaign, its app and its providers move on together, so that
/// planners of several campaigns jointly keep the rate of an app and the quota of a project. Only devices of a provider
/// with a quota wait for the quota.
public struct PacedTurns: Sendable, Equatable {
    /// The lines of the campaign and its app; nil without a rate.
    public struct Lines: Sendable, Equatable {
        /// The campaign's line.
        public var campaign: PaceLine?
        /// The app's line.
        public var app: PaceLine?

        /// Lines; none by default.
        public init(campaign: PaceLine? = nil, app: PaceLine? = nil) {
            self.campaign = campaign
            self.app = app
        }

        var all: [PaceLine] {
            get { [campaign, app].compactMap { $0 } }
            set {
                var rest = newValue[...]
                if campaign != nil { campaign = rest.popFirst() }
                if app != nil { app = rest.popFirst() }
            }
        }
    }

    /// The line of a quota.
    public struct QuotaLine: Sendable, Equatable {
        /// The quota.
        public var quota: ProviderQuota
        /// Its line.
        public var line: PaceLine
    }

    /// The ledger's writes.
    public struct Given: Sendable, Equatable {
        /// The rows with their slots, in the slots' order: their messages are to be published.
        public var rows: [ShardRecord] = []
        /// The lines afterwards; empty if none has moved.
        public var lines = Lines()
        /// The quotas' lines that have moved.
        public var quotas: [QuotaLine] = []
        /// The time until the next poll, in microseconds; nothing is to be given away before then.
        public var rest: Int64 = 0
    }

    /// The largest number of rows that get a turn in one poll.
    public static let turnsMax = 256

    /// The rate of the campaign; nil if it has none.
    public let pace: Pace?
    /// The rate of its app; nil if it has none.
    public let appPace: Pace?
    /// The queues of rows, one for each set of limits.
    public private(set) var queues: [TurnQueue]
    private var isIdle = true

    /// The turns of a campaign; nil if it waits, or if nothing limits it.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - shares: Its shares, each as its devices see it; shares in trouble leave their turns to the others.
    ///   - appPace: The rate of its app; nil if it has none.
    ///   - quotas: The quotas of its providers; in a campaign of one provider, only that provider's.
    ///   - now: The clock that all workers share.
    public init?(
        of campaign: CampaignFacts,
        shares: [CampaignFacts],
        appPace: Pace?,
        quotas: [ProviderName: ProviderQuota],
        now: Timestamp
    ) {
        guard campaign.mayPlan(at: now) else { return nil }
        let hasRate = campaign.pace != nil || appPace != nil
        queues = TurnQueue.queues(shares.filter { $0.mayPlan(at: now) }, quotas, hasRate: hasRate)
        guard !queues.isEmpty else { return nil }
        (pace, self.appPace) = (campaign.pace, appPace)
    }

    /// True if each queue's progress has to be counted: without a common rate no queue takes anything from another.
    public var comparesQueues: Bool { queues.count > 1 && !commonPaces.isEmpty }

    private var commonPaces: [Pace] { [pace, appPace].compactMap { $0 } }

    /// The amount that a queue is cut before its rows are read; `waiting`: first attempts' devices that wait for a
    /// turn.
    public func cutAhead(of queue: Int, waiting: Int) -> CutAhead {
        let quota = queues[queue].quota.map { [Pace($0)] } ?? []
        return CutAhead(queues[queue].shares, commonPaces + quota, waiting: waiting)
    }

    /// Takes the rows of a queue that may have a turn, the first one first, with the line of its quota.
    public mutating func wait(_ rows: [ShardRecord], line: PaceLine?, in queue: Int) {
        queues[queue].waiting = rows.filter(\.isWaitingForTurn)[...]
        queues[queue].line = line
        if !queues[queue].waiting.isEmpty { isIdle = false }
    }

    /// Takes the progress of a queue.
    public mutating func count(_ progress: TurnQueue.Progress, in queue: Int) {
        queues[queue].count(progress)
    }

    /// Gives slots to the rows whose turn it is, as far as their limits allow; a row that got one no longer waits.
    public mutating func give(_ lines: Lines, now: Timestamp) -> Given {
        var given = Given()
        var common = lines.all
        let quotasBefore = queues.map(\.line)
        while given.rows.count < Self.turnsMax, let next = TurnQueue.next(queues),
            let row = queues[next].waiting.popFirst()
        {
            let slot = Pacing.slot(devices: row.count, lines: &common, quota: &queues[next].line, now: now)
            guard let slot else {
                // The limit is the quota's or everybody's: the other queues find out for themselves.
                queues[next].waiting = []
                continue
            }
            given.rows.append(row.given(slot))
            queues[next].taken += Double(row.count) / Double(queues[next].devices)
        }
        if !given.rows.isEmpty {
            given.lines = lines
            given.lines.all = common
        }
        for (queue, before) in zip(queues, quotasBefore) where queue.line != before {
            guard let quota = queue.quota, let line = queue.line else { continue }
            given.quotas.append(QuotaLine(quota: quota, line: line))
        }
        let rest = queues.map { Pacing.rest(common, quota: $0.line, now: now) }.min() ?? 0
        given.rest = isIdle ? max(rest, Pacing.idleRest) : rest
        return given
    }
}
