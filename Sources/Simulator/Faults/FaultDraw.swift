/// The fate that the faults give one request, before a provider words its answer.
enum Fate: Equatable {
    /// Answered as the behavior says; `accept` when there is no fault.
    case behave(Behaviour)
    case refuse
    case reset
    case stall
}

/// Faults prepared for a decision per request.
struct FaultDraw {
    let faults: Faults
    private let seed: UInt64
    /// The rules that this provider can express.
    private let rules: [Faults.Rule]
    private let layout: [(upTo: Double, behaviour: Behaviour)]
    private let hasRequestFaults: Bool

    init(_ faults: Faults, seed: UInt64, provider: SimulatedProvider = .apns) {
        self.faults = faults
        rules = faults.rules.filter { $0.behaviour.provider == nil || $0.behaviour.provider == provider }
        self.seed = seed
        layout = faults.layout()
        hasRequestFaults = faults.refuse > 0 || faults.reset > 0 || faults.stall > 0
    }

    /// Returns the behavior of a token, which never changes.
    func behaviour(of addressee: Addressee) -> Behaviour {
        for rule in rules where Self.matches(rule, addressee) { return rule.behaviour }
        if layout.isEmpty { return .accept }
        let point = Mixing.fraction(Mixing.mix(addressee.key.hash64 ^ seed))
        return layout.first { point < $0.upTo }?.behaviour ?? .accept
    }

    /// Returns the fate of a token's next request, given its counts so far.
    func fate(of addressee: Addressee, before counts: TokenCounts) -> Fate {
        if let fault = requestFault(addressee.key, before: counts) { return fault }
        if faults.isStorm { return .behave(.storm) }
        switch behaviour(of: addressee) {
        case .unavailableOnce: return .behave(counts.judged == 0 ? .unavailableOnce : .accept)
        case .throttledOnce: return .behave(counts.judged == 0 ? .throttledOnce : .accept)
        case .refuse: return .refuse
        case .reset: return .reset
        case .stall: return .stall
        case let other: return .behave(other)
        }
    }

    /// Returns the milliseconds until the answer.
    func latency(of token: DeviceTokenKey?, before counts: TokenCounts) -> Int {
        let range = faults.latencyMilliseconds
        guard range.lowerBound < range.upperBound, let token else { return range.lowerBound }
        let point = fraction(token, counts, salt: 3)
        return range.lowerBound + Int(point * Double(range.count))
    }

    private func requestFault(_ token: DeviceTokenKey, before counts: TokenCounts) -> Fate? {
        guard hasRequestFaults else { return nil }
        if fraction(token, counts, salt: 0) < faults.refuse { return .refuse }
        if fraction(token, counts, salt: 1) < faults.reset { return .reset }
        return fraction(token, counts, salt: 2) < faults.stall ? .stall : nil
    }

    /// Returns a number drawn from the token and its number of requests, so that the order of arrival does not matter.
    private func fraction(_ token: DeviceTokenKey, _ counts: TokenCounts, salt: UInt64) -> Double {
        let times = UInt64(counts.requests) << 32 | UInt64(counts.refused) << 8 | salt + 1
        return Mixing.fraction(Mixing.mix(token.hash64 ^ Mixing.mix(seed ^ times)))
    }

    private static func matches(_ rule: Faults.Rule, _ addressee: Addressee) -> Bool {
        if let text = addressee.text { return text.starts(with: rule.bytes) }
        guard let nibbles = rule.nibbles else { return false }
        for (index, nibble) in nibbles.enumerated() where addressee.key.digit(at: index) != nibble { return false }
        return true
    }
}
