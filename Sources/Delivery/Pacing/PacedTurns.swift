public import Campaigns
public import PushProviders

/// The turns that one look at a campaign under a rate gives away (design, section 10, Rate).
///
/// The ledger hands in what it has read and writes what is given, in one transaction of the planner that has the lease.
/// Retries that are due come before new shards. The campaign's line, its app's and its providers' move on together, so
/// that planners of several campaigns keep the rate of an app, and the quota of a project, together. Only the devices of a
/// provider with a quota wait for that.
public struct PacedTurns: Sendable, Equatable {
    /// What the campaign and its app have given away; nil where there is no rate.
    public struct Lines: Sendable, Equatable {
        /// The campaign's.
        public var campaign: PaceLine?
        /// Its app's.
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

    /// What a quota has given away.
    public struct QuotaLine: Sendable, Equatable {
        /// The quota.
        public var quota: ProviderQuota
        /// Its line.
        public var line: PaceLine
    }

    /// What the ledger writes.
    public struct Given: Sendable, Equatable {
        /// Rows as they stand with their slots, in the order of these: their messages are to be published.
        public var rows: [ShardRecord] = []
        /// The lines as they stand afterwards; none when none has moved.
        public var lines = Lines()
        /// The quotas' lines that have moved.
        public var quotas: [QuotaLine] = []
        /// When to look again, in microseconds from now; nothing is to be given away before.
        public var rest: Int64 = 0
    }

    /// Rows that get a turn in one look at most.
    public static let turnsMax = 256

    /// The rate of the campaign; nil when it has none.
    public let pace: Pace?
    /// The rate of its app; nil when it has none.
    public let appPace: Pace?
    /// What waits under the same limits.
    public private(set) var queues: [TurnQueue]
    private var isIdle = true

    /// The turns of a campaign; nil when it waits, or when nothing limits it.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - shares: Its shares, each as its devices meet it: those that are in trouble leave their turns to the others.
    ///   - appPace: The rate of its app; nil when it has none.
    ///   - quotas: Those of its providers that have one; of a campaign of one provider no other's.
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

    /// Whether it counts how far each queue has come: without a common rate none takes anything from another.
    public var comparesQueues: Bool { queues.count > 1 && !commonPaces.isEmpty }

    private var commonPaces: [Pace] { [pace, appPace].compactMap { $0 } }

    /// What is cut of a queue before its rows are looked at; `waiting`: devices of first attempts that wait for a turn.
    public func cutAhead(of queue: Int, waiting: Int) -> CutAhead {
        let quota = queues[queue].quota.map { [Pace($0)] } ?? []
        return CutAhead(queues[queue].shares, commonPaces + quota, waiting: waiting)
    }

    /// The rows of a queue that may have a turn, the first one first, with the line of its quota.
    public mutating func wait(_ rows: [ShardRecord], line: PaceLine?, in queue: Int) {
        queues[queue].waiting = rows.filter(\.isWaitingForTurn)[...]
        queues[queue].line = line
        if !queues[queue].waiting.isEmpty { isIdle = false }
    }

    /// How far a queue has come.
    public mutating func count(_ progress: TurnQueue.Progress, in queue: Int) {
        queues[queue].count(progress)
    }

    /// Gives slots to the rows whose turn it is, as far as their limits have some; a row that got one waits no more.
    public mutating func give(_ lines: Lines, now: Timestamp) -> Given {
        var given = Given()
        var common = lines.all
        let quotasBefore = queues.map(\.line)
        while given.rows.count < Self.turnsMax, let next = TurnQueue.next(queues),
            let row = queues[next].waiting.popFirst()
        {
            let slot = Pacing.slot(devices: row.count, lines: &common, quota: &queues[next].line, now: now)
            guard let slot else {
                // Its quota's, or everybody's: the others see for themselves.
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
