/// The laws, asked for at every step, from what the far sides saw and what the drivers reported.
///
/// It shares no code with the fleet: it reads the messages' bodies itself. The first breach is kept and ends the run.
/// Safety: used by the process's only thread.
final class Observer: @unchecked Sendable {
    let trace: Trace
    private let isCalm: Bool
    /// The first law that was broken.
    private(set) var breach: String?
    /// True once the producer has published everything.
    private(set) var hasProduced = false

    private var publishes: [Publish] = []
    private var requests: [String: Request] = [:]
    /// The ids of messages that the broker has synced, returned and refused.
    private var stored: Set<String> = []
    private var returned: Set<String> = []
    private var refused: Set<String> = []
    /// The devices of a shard whose results or retries are safe.
    private var covered: [String: Set<Int>] = [:]
    /// The devices with a safe result.
    private(set) var devicesDone: Set<Int> = []
    private var deliveries: [Int: Int] = [:]
    private var processed: [Int: Int] = [:]

    private struct Publish {
        var id: String
        var by: String
        var began: Int64
        var isOver = false
    }

    private struct Request {
        var began: Int64
        var isProcessed = false
        var answer: Int?
        var isOver = false
        var isRefused = false
    }

    /// The longest time until a publish is settled or a request has ended: 10 s and a little, in nanoseconds.
    private static let longest: Int64 = 10_500_000_000

    /// The end of a publish, as its driver reports it.
    enum PublishEnd {
        case confirmed
        case returned
        case nacked
        /// Nobody knows whether the broker has the message.
        case unknown
    }

    /// Creates an observer; in a calm run nothing goes wrong, so nothing may be unknown or repeated.
    init(_ trace: Trace, isCalm: Bool) {
        self.trace = trace
        self.isCalm = isCalm
    }

    /// Keeps the first breach of a law.
    func broke(_ law: @autoclosure () -> String, if isBroken: Bool = true) {
        guard isBroken, breach == nil else { return }
        breach = law()
        trace.note("observer", "BREACH: \(law())")
    }

    // MARK: - The drivers' reports

    func produced() { hasProduced = true }

    /// Notes a publish; returns its number for `publishEnded`.
    func publishBegan(_ id: String, by publisher: String, at awake: Int64) -> Int {
        publishes.append(Publish(id: id, by: publisher, began: awake))
        return publishes.count - 1
    }

    func publishEnded(_ number: Int, _ end: PublishEnd, at awake: Int64) {
        let publish = publishes[number]
        broke("the publish of \(publish.id) took \(awake - publish.began) ns", if: awake - publish.began > Self.longest)
        trace.note(publish.by, "publish of \(publish.id): \(end)")
        broke("\(publish.by) hears twice of its publish of \(publish.id)", if: publish.isOver)
        publishes[number].isOver = true
        switch end {
        case .confirmed: broke("\(publish.id) is confirmed and not safe", if: !stored.contains(publish.id))
        case .returned: broke("\(publish.id) is returned and had a route", if: !returned.contains(publish.id))
        case .nacked: broke("\(publish.id) is nacked and was not refused", if: !refused.contains(publish.id))
        case .unknown: broke("the publish of \(publish.id) came to nothing, and nothing was wrong", if: isCalm)
        }
    }

    func requestBegan(_ id: String, at awake: Int64) {
        broke("request \(id) began twice", if: requests[id] != nil)
        requests[id] = Request(began: awake)
    }

    func requestAnswered(_ id: String, status: Int, at awake: Int64) {
        end(id, at: awake)
        broke(
            "request \(id) was answered \(requests[id]?.answer ?? 0) and reported as \(status)",
            if: requests[id]?.answer != status
        )
    }

    func requestRefused(_ id: String, at awake: Int64) {
        end(id, at: awake)
        requests[id]?.isRefused = true
        broke("request \(id) was processed and is reported as refused", if: requests[id]?.isProcessed ?? true)
    }

    func requestUnknown(_ id: String, _ why: String, at awake: Int64) {
        end(id, at: awake)
        trace.note("observer", "request \(id): \(why)")
        broke("request \(id) ended unknown, and nothing was wrong: \(why)", if: isCalm)
    }

    private func end(_ id: String, at awake: Int64) {
        let took = awake - (requests[id]?.began ?? 0)
        broke("request \(id) took \(took) ns", if: took > Self.longest)
        broke("request \(id) ended twice, or never began", if: requests[id]?.isOver ?? true)
        requests[id]?.isOver = true
    }

    // MARK: - What the broker saw

    func brokerStored(_ id: String, in queue: String, _ body: [UInt8]) {
        trace.note("broker", "\(id) is safe in \(queue)")
        stored.insert(id)
        guard let shard = ObservedShard(body) else { return broke("\(id) in \(queue) cannot be read") }
        switch queue {
        case "results":
            covered[shard.id, default: []].formUnion(shard.devices)
            devicesDone.formUnion(shard.devices)
        case "retry": covered[shard.parent, default: []].formUnion(shard.devices)
        default: break
        }
    }

    func brokerReturned(_ id: String) { returned.insert(id) }

    func brokerRefused(_ id: String) { refused.insert(id) }

    func brokerDelivered(_ queue: String, _ body: [UInt8]) {
        guard queue == "work", let shard = ObservedShard(body) else { return }
        for device in shard.devices { deliveries[device, default: 0] += 1 }
    }

    /// Asks for "results before the ack": whatever the shard had is safe elsewhere.
    func brokerAcked(_ queue: String, _ body: [UInt8]) {
        guard queue == "work", let shard = ObservedShard(body) else { return }
        let lost = Set(shard.devices).subtracting(covered[shard.id] ?? [])
        broke("\(shard.id) is acked and of its devices \(lost.sorted()) are not safe", if: !lost.isEmpty)
    }

    func brokerFault(_ fault: String) { broke("a driver broke AMQP: \(fault)") }

    // MARK: - What the provider saw

    func providerProcessed(_ id: String, _ device: Int) {
        broke("request \(id) was processed twice", if: requests[id]?.isProcessed ?? true)
        broke("request \(id) was reported as refused and is processed", if: requests[id]?.isRefused ?? true)
        requests[id]?.isProcessed = true
        processed[device, default: 0] += 1
        broke("device \(device) is pushed again, and nothing was wrong", if: isCalm && processed[device] != 1)
        broke(
            "device \(device) is pushed \(processed[device] ?? 0) times in \(deliveries[device] ?? 0) deliveries",
            if: processed[device, default: 0] > deliveries[device, default: 0]
        )
    }

    func providerAnswered(_ id: String, _ status: Int) { requests[id]?.answer = status }

    func providerFault(_ fault: String) { broke("a driver broke HTTP/2: \(fault)") }

    // MARK: - Counts

    /// The pushes of devices that were pushed before.
    var repeats: Int { processed.values.reduce(0) { $0 + $1 - 1 } }

    /// The requests, publishes and pushes so far.
    var summary: String { "\(requests.count) requests, \(publishes.count) publishes, \(repeats) repeats" }
}

/// A shard as the observer reads it.
private struct ObservedShard {
    var number: Int
    var attempt: Int
    var devices: [Int]

    var id: String { "\(number).\(attempt)" }
    var parent: String { "\(number).\(attempt - 1)" }

    init?(_ body: [UInt8]) {
        let words = body.split(separator: UInt8(ascii: " "))
        guard words.count == 3, let number = Int(String(decoding: words[0], as: UTF8.self)),
            let attempt = Int(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        self.number = number
        self.attempt = attempt
        devices = words[2].split(separator: UInt8(ascii: ",")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
