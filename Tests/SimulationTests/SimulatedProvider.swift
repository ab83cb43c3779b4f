import Campaigns
import Delivery
import PushProviders
import Seeds

/// A provider that answers each device by a plan made in advance, and counts.
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

    /// What a stream's end looks like to the sender.
    enum Reply: Equatable {
        case accepted
        /// Anything else that it says.
        case refused(Answer)
        /// The stream was refused before anybody looked at it.
        case unprocessed
        case silence
    }

    /// 503, as everybody gets it: the provider is out.
    static let outage = Reply.refused(Answer(.serviceFault, reason: "ServiceUnavailable"))
    /// The app's credential is not taken.
    static let credentialRefused = Reply.refused(Answer(.credential, reason: "InvalidProviderToken"))

    private var plans: [DeviceKey: [Step]] = [:]
    private var expected: [DeviceKey: Int] = [:]
    private var sends: [DeviceKey: Int] = [:]
    private var pushes: [DeviceKey: Int] = [:]
    /// Answers, and silences, for which an attempt is charged.
    private var faults: [DeviceKey: Int] = [:]
    /// Those that a sender cannot but have charged, unless its worker died with them.
    private var charges: [DeviceKey: Int] = [:]
    /// When a device may be asked again, as the provider said.
    private var restsUntil: [DeviceKey: Timestamp] = [:]
    private(set) var lostAnswers = 0
    /// Devices whose content drops them.
    private(set) var leftOut: Set<DeviceKey> = []
    /// Devices that have an outcome before their shard is first sent.
    private(set) var known: [DeviceKey: Outcome] = [:]
    /// Requests that were refused for the content's sake, and whether somebody has mended that.
    private(set) var contentFaults = 0
    var isContentFixed = false
    /// Whether the credential is for the environment of the tokens by now.
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

    /// A request has arrived.
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
            // It was refused: asking again costs nobody a push.
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

    /// It says that the device is to be asked again, and that this counts.
    mutating func charge(_ key: DeviceKey) { faults[key, default: 0] += 1 }

    /// The highest attempt that a device can have come to.
    func attemptMax(_ key: DeviceKey) -> UInt32 { 1 + UInt32(faults[key, default: 0]) }

    /// What a request for a device breaks, made by a sender that knows all answers; nil when it may be made.
    func broken(by key: DeviceKey, maxAttempts: UInt32, now: Timestamp) -> String? {
        if charges[key, default: 0] >= maxAttempts { return "asks for a device that had all its attempts" }
        if let rest = restsUntil[key], now < rest { return "asks for a device before its Retry-After" }
        return nil
    }

    /// Requests beyond those that the plans ask for.
    var extraSends: Int {
        sends.reduce(0) { $0 + max(0, $1.value - expected[$1.key, default: 0]) }
    }

    /// Requests that were processed.
    var requests: Int { sends.values.reduce(0, +) }

    /// The most pushes that one device got.
    var pushesMax: Int { pushes.values.max() ?? 0 }
}
