import Campaigns
import Delivery
import HTTPTypes
import Logging
import Operations
import Store
import WebServing

/// Streams what happens to campaigns to all listeners, with one poller that rests without listeners.
///
/// Each poll costs the ledger one read of the new history, and one of each campaign, however many watch it.
actor LiveFeed {
    /// The most listeners at once; more are refused.
    static let subscribersMax = 100
    /// The most listeners with one token, so that one token leaves room for the others.
    static let ofTokenMax = 25
    /// The most campaigns of a fleet stream: the latest.
    private static let campaignsMax = 20
    /// The most unread events of a slow listener; then its stream ends, and it reconnects with its last id.
    private static let waitingMax = 256
    private static let pause = Duration.seconds(1)
    /// Polls between two heartbeats.
    private static let heartbeatPolls = 15
    /// The most history entries of one read.
    private static let entriesMax = 500
    /// The most entries of one read for a listener further behind than the others: fewer than may wait for it.
    private static let catchUpMax = 200
    /// The most history entries with which a stream begins; older ones are in the campaigns' histories.
    private static let backMax: Int64 = 5000

    /// The subject of a stream.
    enum Topic: Sendable, Equatable {
        case campaign(UInt32)
        /// All campaigns of these apps; nil for all apps.
        case fleet(apps: Set<String>?)
    }

    private struct Subscriber {
        let topic: Topic
        /// The name of the listener's token.
        let name: String
        /// Returns true while the token has access.
        let isGood: @Sendable (_ now: Timestamp) -> Bool
        let continuation: AsyncStream<String>.Continuation
        /// The position of the last history entry sent.
        var told: Int64
        /// The last status sent, by campaign.
        var shown: [UInt32: JSONValue] = [:]
    }

    /// The number of listeners.
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

    /// Returns the texts of a new listener's events after the position `after`; nil for events from now on.
    ///
    /// The stream ends within a poll after `isGood` becomes false. Throws 503 when there are too many listeners or the
    /// server stops, 429 when there are too many with the name.
    func subscribe(
        _ topic: Topic,
        after: Int64?,
        for name: String,
        while isGood: @escaping @Sendable (_ now: Timestamp) -> Bool
    ) async throws -> AsyncStream<String> {
        let newest = try await ledger.read { try $0.lastHistoryPosition() }
        guard !isStopped else { throw HTTPProblem(unavailable: "the server stops") }
        guard subscribers.count < Self.subscribersMax else {
            throw HTTPProblem(unavailable: "there are \(Self.subscribersMax) listeners already")
        }
        guard subscribers.values.count(where: { $0.name == name }) < Self.ofTokenMax else {
            throw HTTPProblem(
                .tooManyRequests,
                "this token has \(Self.ofTokenMax) listeners already",
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

    /// Ends all streams and refuses new ones.
    func stop() {
        isStopped = true
        polling?.cancel()
        for subscriber in subscribers.values { subscriber.continuation.finish() }
    }

    private func remove(_ number: Int) { subscribers[number] = nil }

    private func poll() async {
        var polls = 0
        while !subscribers.isEmpty, !Task.isCancelled {
            do {
                try await pollOnce()
            } catch {
                logger.warning("the ledger cannot be read for the event streams", metadata: ["error": "\(error)"])
            }
            polls += 1
            if polls % Self.heartbeatPolls == 0 {
                for number in subscribers.keys.sorted() { send(LiveEvent.heartbeat, to: number) }
            }
            // Thrown only when the feed is stopped.
            try? await Task.sleep(for: Self.pause)
        }
        polling = nil
    }

    // MARK: - One poll

    private func pollOnce() async throws(LedgerError) {
        // First: a listener whose token was revoked gets nothing more, and nothing is read for it.
        let now = ledger.now()
        for (number, subscriber) in subscribers where !subscriber.isGood(now) {
            subscriber.continuation.finish()
            subscribers[number] = nil
        }
        // A listener that subscribes while the ledger is read may be owed more than this read has.
        let numbers = subscribers.keys.sorted()
        let newest = try await ledger.read { try $0.lastHistoryPosition() }
        // A listener far behind catches up by itself, so that nobody waits for its backlog.
        let isBehind = subscribers.mapValues { newest - $0.told > Int64(Self.catchUpMax) }
        let from = subscribers.filter { isBehind[$0.key] == false }.values.map(\.told).min() ?? newest
        // Before the history: when a campaign's end is in its status, the history read next contains all of it.
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

    /// Returns the statuses of all watched campaigns, by number.
    private func statuses() async throws(LedgerError) -> [UInt32: CampaignStatusView] {
        var wanted: Set<UInt32> = []
        var isFleetWatched = false
        for subscriber in subscribers.values {
            switch subscriber.topic {
            case .campaign(let number): wanted.insert(number)
            case .fleet:
                isFleetWatched = true
                // Once more, so that the end of a campaign already shown is shown too.
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

    /// Sends a listener its new events; `isAll` tells that these entries end the history.
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
            // Ends with the completion, since the last device may have its outcome one transaction earlier.
            let isEnded = view.completedAt != nil
            subscriber.shown[campaign] = isEnded ? nil : json
            if isEnded, subscriber.topic == .campaign(campaign) { isOver = true }
        }
        subscribers[number] = subscriber
        for event in events { send(event.text, to: number) }
        // A history longer than one poll's share is first sent to its end.
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
