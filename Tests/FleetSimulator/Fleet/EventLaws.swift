import Delivery

/// The laws of events, from what the broker has stored of them: an id has one event for ever, and what became of a
/// campaign is told.
///
/// Safety: used by the process's only thread.
final class EventLaws: @unchecked Sendable {
    private let observer: Observer
    private var bodies: [String: [UInt8]] = [:]
    /// The ends of the routing keys, by campaign id.
    private var kinds: [String: Set<String>] = [:]

    /// The queue that is bound for events.
    private static let queue = "events"
    private let broker: Broker

    init(_ observer: Observer, _ broker: Broker) { (self.observer, self.broker) = (observer, broker) }

    /// Binds the queue, and looks at each event from now on.
    func watch() {
        broker.declare(queue: Self.queue)
        broker.bind(queue: Self.queue, to: BrokerNames.events)
        broker.stored = { [self] in if $0 == Self.queue { stored($1) } }
    }

    private func stored(_ message: BrokerMessage) {
        let known = bodies[message.id]
        observer.broke("\(message.id) is two events", if: known.map { $0 != message.body } ?? false)
        bodies[message.id] = message.body
        let words = String(decoding: message.body, as: UTF8.self).split(separator: "\"")
        guard let name = words.firstIndex(of: "subject"), name + 2 < words.count,
            let kind = message.routingKey.split(separator: ".").last
        else { return }
        kinds[String(words[name + 2]), default: []].insert(String(kind))
    }

    /// True if everything was told of a campaign that is over; one that was sent has begun.
    func isTold(of campaign: FleetCampaign, wasSent: Bool) -> Bool {
        let told = kinds[campaign.id] ?? []
        guard told.contains("accepted"), !told.isDisjoint(with: ["completed", "cancelled"]) else { return false }
        return !wasSent || told.contains("started")
    }
}
