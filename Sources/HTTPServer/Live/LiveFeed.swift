import Campaigns
import Delivery
import Fleet
import HTTPTypes
import Logging
import Store

/// Tells all who listen what happens to campaigns: one poller for all of them, which sleeps when nobody listens.
///
/// Each look costs the ledger one read of what is new, and one of each campaign that somebody watches, however many watch
/// it.
actor LiveFeed {
    /// Who listens at once; more are refused.
    static let subscribersMax = 100
    /// Of them with one token, so that one that is everywhere leaves room for the others.
    static let ofTokenMax = 25
    /// Of a fleet that sends more campaigns at once, the latest are shown.
    private static let campaignsMax = 20
    /// Events that wait for one who reads slowly; then he is cut off, and comes again with his last id.
    private static let waitingMax = 256
    private static let pause = Duration.seconds(1)
    /// Looks between two heartbeats.
    private static let heartbeatLooks = 15
    /// Of what happened while somebody was away, so much is read at once.
    private static let entriesMax = 500
    /// The same for one who is further behind than the others, in a read of his own: fewer than may wait for him.
    private static let catchUpMax = 200
    /// How far back anybody is told: what is older is in the campaigns' histories.
    private static let backMax: Int64 = 5000

    /// What somebody listens to.
    enum Topic: Sendable, Equatable {
        case campaign(UInt32)
        /// All campaigns of these apps; nil is all apps.
        case fleet(apps: Set<String>?)
    }

    private struct Subscriber {
        let topic: Topic
        /// Whose token it is.
        let name: String
        /// Whether that is still let in.
        let isGood: @Sendable (_ now: Timestamp) -> Bool
        let continuation: AsyncStream<String>.Continuation
        /// The last place in the history that was told.
        var told: Int64
        /// The status that was told last, by campaign.
        var shown: [UInt32: JSONValue] = [:]
    }

    /// How many listen now.
    var subscriberCount: Int { subscribers.count }

    private let ledger: Ledger
    private let logger: Logger
    private var subscribers: [Int: Subscriber] = [:]
    private var lastNumber = 0
    private var polling: Task<Void, Never>?
    private var isStopped = false

    init(_ ledger: Ledger, logger: Logger) {
        self.ledger = ledger
        self.logger = logger
    }

    /// The texts of a new listener's events, from the place `after` on; nil of it is from now on.
    ///
    /// The stream ends within a look of the moment when `isGood` does not hold any more. Throws 503 when there are too many
    /// listeners, or the server stops, 429 when there are too many with the name.
    func subscribe(
        _ topic: Topic,
        after: Int64?,
        for name: String,
        while isGood: @escaping @Sendable (_ now: Timestamp) -> Bool
    ) async throws -> AsyncStream<String> {
        let newest = try await ledger.read { try $0.lastHistoryPlace() }
        guard !isStopped else { throw HTTPProblem(unavailable: "the server stops") }
        guard subscribers.count < Self.subscribersMax else {
            throw HTTPProblem(unavailable: "\(Self.subscribersMax) listen already")
        }
        guard subscribers.values.count(where: { $0.name == name }) < Self.ofTokenMax else {
            throw HTTPProblem(
                .tooManyRequests,
                "\(Self.ofTokenMax) listen already with this token",
                headers: [.retryAfter: "60"]
            )
        }
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingOldest(Self.waitingMax)
        )
        lastNumber += 1
        let number = lastNumber
        continuation.onTermination = { _ in Task { await self.remove(number) } }
        subscribers[number] = Subscriber(
            topic: topic,
            name: name,
            isGood: isGood,
            continuation: continuation,
            told: max(min(after ?? newest, newest), newest - Self.backMax)
        )
        if polling == nil { polling = Task { await poll() } }
        return stream
    }

    /// Ends all streams; nobody can listen from now on.
    func stop() {
        isStopped = true
        polling?.cancel()
        for subscriber in subscribers.values { subscriber.continuation.finish() }
    }

    private func remove(_ number: Int) { subscribers[number] = nil }

    private func poll() async {
        var looks = 0
        while !subscribers.isEmpty, !Task.isCancelled {
            do {
                try await look()
            } catch {
                logger.warning("the ledger cannot be read for those who listen", metadata: ["error": "\(error)"])
            }
            looks += 1
            if looks % Self.heartbeatLooks == 0 {
                for number in subscribers.keys.sorted() { send(LiveEvent.heartbeat, to: number) }
            }
            // Thrown only when the feed is stopped.
            try? await Task.sleep(for: Self.pause)
        }
        polling = nil
    }

    // MARK: - One look

    private func look() async throws(LedgerError) {
        // First: whose token was revoked is told nothing more, and of what is not read.
        let now = ledger.now()
        for (number, subscriber) in subscribers where !subscriber.isGood(now) {
            subscriber.continuation.finish()
            subscribers[number] = nil
        }
        // Who comes while the ledger is read may be owed more than what is read now.
        let numbers = subscribers.keys.sorted()
        let newest = try await ledger.read { try $0.lastHistoryPlace() }
        // Who was away for long catches up by himself: nobody else waits for what he has missed.
        let isBehind = subscribers.mapValues { newest - $0.told > Int64(Self.catchUpMax) }
        let from = subscribers.filter { isBehind[$0.key] == false }.values.map(\.told).min() ?? newest
        // Before the history: a stream ends with a campaign that is over, and has told all of it by then.
        let statuses = try await statuses()
        let entries = try await ledger.read { try $0.history(after: from, limit: Self.entriesMax) }
        for number in numbers {
            guard isBehind[number] == true, let told = subscribers[number]?.told else {
                tell(number, entries, statuses, isAll: entries.count < Self.entriesMax)
                continue
            }
            let missed = try await ledger.read { try $0.history(after: told, limit: Self.catchUpMax) }
            tell(number, missed, statuses, isAll: false)
        }
    }

    /// The statuses of all campaigns that somebody watches, by number.
    private func statuses() async throws(LedgerError) -> [UInt32: CampaignStatusView] {
        var wanted: Set<UInt32> = []
        var isFleetWatched = false
        for subscriber in subscribers.values {
            switch subscriber.topic {
            case .campaign(let number): wanted.insert(number)
            case .fleet:
                isFleetWatched = true
                // Once more, so that the end of a campaign that was shown is shown too.
                wanted.formUnion(subscriber.shown.keys)
            }
        }
        if isFleetWatched {
            let open = try await ledger.read { try $0.campaigns(app: nil, isOpen: true, limit: Self.campaignsMax) }
            wanted.formUnion(open.map(\.facts.number))
        }
        var views: [UInt32: CampaignStatusView] = [:]
        for number in wanted {
            let now = ledger.now()
            let status = try await ledger.read { try $0.status(campaign: number, now: now) }
            views[number] = status.map { CampaignStatusView($0) }
        }
        return views
    }

    /// `isAll`: nothing of the history is left behind these entries.
    private func tell(
        _ number: Int,
        _ entries: [LedgerHistory],
        _ statuses: [UInt32: CampaignStatusView],
        isAll: Bool
    ) {
        guard var subscriber = subscribers[number] else { return }
        var events: [LiveEvent] = []
        for entry in entries where (entry.entry.sequence ?? 0) > subscriber.told {
            subscriber.told = entry.entry.sequence ?? subscriber.told
            guard subscriber.topic.includes(entry) else { continue }
            let data = HistoryView(entry.entry, app: entry.app, campaign: entry.campaignID).json
            events.append(LiveEvent(name: entry.entry.kind.rawValue, id: entry.entry.sequence, data: data))
        }
        var isOver = false
        for (campaign, view) in statuses.sorted(by: { $0.key < $1.key }) where subscriber.topic.includes(campaign, view)
        {
            let json = view.json
            if subscriber.shown[campaign] != json { events.append(LiveEvent(name: "status", id: nil, data: json)) }
            // Not before it is completed: its last device may have its outcome a transaction earlier than that is told.
            let isEnded = view.completedAt != nil
            subscriber.shown[campaign] = isEnded ? nil : json
            if isEnded, subscriber.topic == .campaign(campaign) { isOver = true }
        }
        subscribers[number] = subscriber
        for event in events { send(event.text, to: number) }
        // A history that is longer than one look's share is told to its end first.
        if isOver, isAll { subscriber.continuation.finish() }
    }

    private func send(_ text: String, to number: Int) {
        guard let subscriber = subscribers[number] else { return }
        if case .dropped = subscriber.continuation.yield(text) {
            subscriber.continuation.finish()
            subscribers[number] = nil
        }
    }
}

extension LiveFeed.Topic {
    fileprivate func includes(_ entry: LedgerHistory) -> Bool {
        switch self {
        case .campaign(let number): entry.campaign == number
        case .fleet(let apps): apps?.contains(entry.app) ?? true
        }
    }

    fileprivate func includes(_ campaign: UInt32, _ view: CampaignStatusView) -> Bool {
        switch self {
        case .campaign(let number): campaign == number
        case .fleet(let apps): apps?.contains(view.app) ?? true
        }
    }
}
