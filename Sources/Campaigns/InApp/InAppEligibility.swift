/// A live in-app campaign, as far as it decides who gets its message.
public struct InAppCandidate: Sendable {
    /// The number in the ledger: the newer, the higher.
    public var campaign: UInt32
    /// The higher comes first.
    public var priority: Int
    /// Not before this instant.
    public var startsAt: Timestamp?
    /// Not from this instant on.
    public var endsAt: Timestamp?
    /// Seconds after a display from which a device is eligible again; nil: never again.
    public var repeatAfter: Int?
    /// Who is meant.
    public var audience: InAppSelector
    /// Who is left out of them.
    public var exclude: InAppSelector?

    /// A campaign.
    public init(
        campaign: UInt32,
        priority: Int = 0,
        startsAt: Timestamp? = nil,
        endsAt: Timestamp? = nil,
        repeatAfter: Int? = nil,
        audience: InAppSelector,
        exclude: InAppSelector? = nil
    ) {
        self.campaign = campaign
        self.priority = priority
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.repeatAfter = repeatAfter
        self.audience = audience
        self.exclude = exclude
    }
}

/// Who is meant by an in-app message, or left out: judged when a session starts.
public enum InAppSelector: Sendable {
    /// Every device.
    case everyone
    /// The devices of these users, as they are logged in now.
    case users(Set<String>)
    /// The devices that an expression holds for now.
    case segment(Segment)
    /// The devices whose tokens are in a list of the ledger.
    case list(UInt32)
    /// Devices by provider and token.
    case devices(Set<InAppDeviceKey>)
}

/// A device by its provider and its token as raw bytes.
public struct InAppDeviceKey: Hashable, Sendable {
    /// Who delivers to it.
    public var provider: ProviderName
    /// Raw bytes.
    public var token: [UInt8]

    /// A key.
    public init(provider: ProviderName, token: [UInt8]) {
        self.provider = provider
        self.token = token
    }
}

/// The device whose session starts.
public struct InAppDevice: Sendable {
    /// Its user's key.
    public var user: String?
    /// Its token as raw bytes; nil when it has none now.
    public var token: [UInt8]?
    /// What segments look at.
    public var traits: DeviceTraits
    /// When it last displayed a campaign's message, by the campaign's number.
    public var displayed: [UInt32: Timestamp]
    /// Lists of the ledger that have its token, of those that were asked for.
    public var lists: Set<UInt32>

    /// A device.
    public init(
        user: String? = nil,
        token: [UInt8]? = nil,
        traits: DeviceTraits,
        displayed: [UInt32: Timestamp] = [:],
        lists: Set<UInt32> = []
    ) {
        self.user = user
        self.token = token
        self.traits = traits
        self.displayed = displayed
        self.lists = lists
    }
}

/// Which in-app messages a device gets when a session starts, and in which order.
///
/// Pure: whoever drives it reads the device, what it displayed and the lists that have its token. Whether its person
/// allows notifications does not matter: nothing is shown outside the app.
public enum InAppEligibility {
    /// Messages of one answer.
    public static let messagesMax = 50

    /// The campaigns whose messages the device gets: of the highest priority first, of the same the newest.
    ///
    /// At most ``messagesMax``; linear in the candidates but for their order.
    public static func eligible(
        _ candidates: some Sequence<InAppCandidate>,
        for device: InAppDevice,
        at now: Timestamp
    ) -> [InAppCandidate] {
        let found = candidates.filter { isMeant($0, device, at: now) }
        let ordered = found.sorted {
            $0.priority != $1.priority ? $0.priority > $1.priority : $0.campaign > $1.campaign
        }
        return Array(ordered.prefix(messagesMax))
    }

    /// Tells whether a device gets one campaign's message.
    public static func isMeant(_ candidate: InAppCandidate, _ device: InAppDevice, at now: Timestamp) -> Bool {
        isRunning(candidate, at: now) && mayShow(candidate, to: device, at: now)
            && selects(candidate.audience, device)
            && !(candidate.exclude.map { selects($0, device) } ?? false)
    }

    /// The lists that are to be asked for a device's token.
    public static func lists(of candidates: some Sequence<InAppCandidate>) -> Set<UInt32> {
        var lists: Set<UInt32> = []
        for candidate in candidates {
            for selector in [candidate.audience, candidate.exclude] {
                if case .list(let list)? = selector { lists.insert(list) }
            }
        }
        return lists
    }

    private static func isRunning(_ candidate: InAppCandidate, at now: Timestamp) -> Bool {
        candidate.startsAt.map { $0 <= now } ?? true && candidate.endsAt.map { now < $0 } ?? true
    }

    /// Whether it has not displayed it, or long enough ago.
    private static func mayShow(_ candidate: InAppCandidate, to device: InAppDevice, at now: Timestamp) -> Bool {
        guard let last = device.displayed[candidate.campaign] else { return true }
        guard let pause = candidate.repeatAfter else { return false }
        return last.advanced(by: .seconds(pause)) <= now
    }

    private static func selects(_ selector: InAppSelector, _ device: InAppDevice) -> Bool {
        switch selector {
        case .everyone: true
        case .users(let users): device.user.map(users.contains) ?? false
        case .segment(let segment): segment.matches(device.traits)
        case .list(let list): device.lists.contains(list)
        case .devices(let keys):
            device.token.map { keys.contains(InAppDeviceKey(provider: device.traits.provider, token: $0)) } ?? false
        }
    }
}
