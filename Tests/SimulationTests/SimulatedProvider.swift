import Campaigns
import PushProviders
import Seeds

/// A provider that answers each device by a predetermined plan, and counts.
struct SimulatedProvider {
    struct DeviceKey: Hashable {
        var ordinal: UInt32
        var position: UInt16
    }

    enum Step {
        case fault
        case retryAfter(Duration)
        case refused
        case lostAnswer(wasProcessed: Bool)
        case dead
        case credential
        case suspect
        case content
    }

    /// The end of a stream as the sender sees it.
    enum Reply: Equatable {
        case accepted
        /// Any other answer.
        case refused(Answer)
        /// The stream was refused without being processed.
        case unprocessed
        case silence
    }

    /// The 503 that every request gets during an outage.
    static let outage = Reply.refused(Answer(.serviceFault, reason: "ServiceUnavailable"))
    /// The answer to a rejected credential of the app.
    static let credentialRefused = Reply.refused(Answer(.credential, reason: "InvalidProviderToken"))

    private var plans: [DeviceKey: [Step]] = [:]
    private var expected: [DeviceKey: Int] = [:]
    private var sends: [DeviceKey: Int] = [:]
    private var pushes: [DeviceKey: Int] = [:]
    /// The number of faults and lost answers per device for which an attempt is charged.
    private var faults: [DeviceKey: Int] = [:]
    /// The part of them that a sender must have charged, unless its worker died with them.
    private var charges: [DeviceKey: Int] = [:]
    /// The time before which a device must not be tried again, by the provider's Retry-After.
    private var restsUntil: [DeviceKey: Timestamp] = [:]
    private(set) var lostAnswers = 0
    /// Devices whose content drops them.
    private(set) var leftOut: Set<DeviceKey> = []
    /// Devices that have an outcome before their shard is first sent.
    private(set) var known: [DeviceKey: Outcome] = [:]
    /// The number of requests refused because of the content.
    private(set) var contentFaults = 0
    var isContentFixed = false
    /// True once the credential matches the environment of the tokens.
    var isFixed = false

    mutating func plan(_ key: DeviceKey, faults: Faults, random: inout SeededRandom) {
        var steps: [Step] = []
        for _ in 0..<[0, 0, 0, 1, 2][random.below(5)] {
            switch random.below(faults.unknown ? 9 : 8) {
            case 0...2: steps.append(.fault)
            case 3: steps.append(.retryAfter(.seconds(90)))
            case 4: steps.append(.retryAfter(.seconds(3 * 3600)))
            case 5: steps += Array(repeating: .refused, count: [1, 4][random.below(2)])
            case 6: steps.append(.dead)
            case 7: steps.append(.credential)
            default: steps.append(.lostAnswer(wasProcessed: random.below(2) == 0))
            }
        }
        if let dead = steps.firstIndex(where: { if case .dead = $0 { true } else { false } }) {
            steps.removeSubrange((dead + 1)...)
            expected[key] = Self.requests(steps)
        } else {
            expected[key] = Self.requests(steps) + 1
        }
        if faults.wrongEnvironment { (steps, expected[key]) = ([], 1) }
        if random.chance(faults.suspect) {
            (steps, expected[key]) = ([.suspect], faults.wrongEnvironment ? 1 : 0)
        }
        if random.chance(faults.refused) { (steps, expected[key]) = ([.content], 1) }
        if random.chance(faults.leftOut) {
            leftOut.insert(key)
            expected[key] = 0
        }
        if random.chance(faults.known) {
            known[key] = random.below(2) == 0 ? .skipped : .invalid
            leftOut.remove(key)
            expected[key] = 0
        }
        plans[key] = steps.reversed()
    }

    private static func requests(_ steps: [Step]) -> Int {
        steps.reduce(0) { if case .refused = $1 { $0 } else { $0 + 1 } }
    }

    /// Answers a request.
    mutating func answer(_ key: DeviceKey, now: Timestamp) -> Reply {
        sends[key, default: 0] += 1
        guard let step = plans[key]?.popLast() else {
            pushes[key, default: 0] += 1
            return .accepted
        }
        switch step {
        case .fault:
            charge(key)
            charges[key, default: 0] += 1
            return .refused(Answer(.deviceThrottled, reason: "TooManyRequests"))
        case .retryAfter(let wait):
            charge(key)
            // Beyond the ladder it costs no attempt.
            if wait <= Rung.hours2.delay { charges[key, default: 0] += 1 }
            restsUntil[key] = now.advanced(by: wait)
            let seconds = Int(wait.components.seconds)
            return .refused(Answer(.deviceThrottled, reason: "TooManyRequests", retryAfter: seconds))
        case .refused:
            sends[key, default: 0] -= 1
            return .unprocessed
        case .dead:
            plans[key] = [.dead]
            return .refused(Answer(.tokenDead(since: Timestamp(milliseconds: 1)), reason: "Unregistered"))
        case .suspect:
            // It was refused, so another try costs nobody a push.
            sends[key, default: 0] -= 1
            if isFixed { return answer(key, now: now) }
            plans[key] = [.suspect]
            return .refused(Answer(.tokenSuspect, reason: "BadDeviceToken"))
        case .content:
            if isContentFixed {
                pushes[key, default: 0] += 1
                return .accepted
            }
            contentFaults += 1
            return .refused(Answer(.payloadBad, reason: "BadTopic"))
        case .credential: return Self.credentialRefused
        case .lostAnswer(let wasProcessed):
            lostAnswers += 1
            charge(key)
            charges[key, default: 0] += 1
            if wasProcessed { pushes[key, default: 0] += 1 }
            return .silence
        }
    }

    /// Counts a fault for which the device is to be tried again and an attempt is charged.
    mutating func charge(_ key: DeviceKey) { faults[key, default: 0] += 1 }

    /// Returns the highest attempt that a device can have reached.
    func attemptMax(_ key: DeviceKey) -> UInt32 { 1 + UInt32(faults[key, default: 0]) }

    /// Returns the rule that a request violates, if its sender knows all answers; nil when it is allowed.
    func broken(by key: DeviceKey, maxAttempts: UInt32, now: Timestamp) -> String? {
        if charges[key, default: 0] >= maxAttempts { return "asks for a device that had all its attempts" }
        if let rest = restsUntil[key], now < rest { return "asks for a device before its Retry-After" }
        return nil
    }

    /// The number of requests beyond those that the plans require.
    var extraSends: Int {
        sends.reduce(0) { $0 + max(0, $1.value - expected[$1.key, default: 0]) }
    }

    /// The number of processed requests.
    var requests: Int { sends.values.reduce(0, +) }

    /// The most pushes that one device received.
    var pushesMax: Int { pushes.values.max() ?? 0 }
}
