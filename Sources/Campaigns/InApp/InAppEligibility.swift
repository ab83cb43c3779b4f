/// A live in-app campaign, reduced to the facts that decide which devices get its message.
public struct InAppCandidate: Sendable {
    /// The number in the ledger; newer campaigns have higher numbers.
    public var campaign: UInt32
    /// The priority; higher values come first.
    public var priority: Int
    /// The beginning of delivery.
    public var startsAt: Timestamp?
    /// The end of delivery, exclusive.
    public var endsAt: Timestamp?
    /// Seconds after a display from which a device is eligible again; nil: never again.
    public var repeatAfter: Int?
    /// The devices that get the message.
    public var audience: InAppSelector
    /// The devices of the audience that are left out.
    public var exclude: InAppSelector?

    /// Creates a candidate.
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

/// A set of devices for an in-app message, evaluated when a session starts.
public enum InAppSelector: Sendable {
    /// Every device.
    case everyone
    /// The devices on which these users are logged in now.
    case users(Set<String>)
    /// The devices that match an expression now.
    case segment(Segment)
    /// The devices whose tokens are in a list of the ledger.
    case list(UInt32)
    /// Devices by provider and token.
    case devices(Set<InAppDeviceKey>)
}

/// A device by its provider and its token as raw bytes.
public struct InAppDeviceKey: Hashable, Sendable {
    /// The provider that delivers to the device.
    public var provider: ProviderName
    /// The token's raw bytes.
    public var token: [UInt8]

    /// Creates a key.
    public init(provider: ProviderName, token: [UInt8]) {
        self.provider = provider
        self.token = token
    }
}

/// The device whose session starts.
public struct InAppDevice: Sendable {
    /// The key of its user.
    public var user: String?
    /// Its token as raw bytes; nil if it has none now.
    public var token: [UInt8]?
    /// The traits for segments.
    public var traits: DeviceTraits
    /// The instant of its last display of each campaign's message, by the campaign's number.
    public var displayed: [UInt32: Timestamp]
    /// The lists of the ledger that have its token, among those in ``InAppEligibility/lists(of:)``.
    public var lists: Set<UInt32>

    /// Creates a device.
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

/// The selection and the order of the in-app messages that a device gets when a session starts.
///
/// Pure: the caller reads the device, its displays and the lists that have its token. The permission for notifications
/// does not matter, since nothing is shown outside the app.
public enum InAppEligibility {
    /// The limit of messages in an answer.
    public static let messagesMax = 50

    /// Returns the campaigns whose messages the device gets: by descending priority, then from the newest to the
    /// oldest.
    ///
    /// At most ``messagesMax``; linear in the candidates except for the sort.
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

    /// Returns true if a device gets a campaign's message.
    public static func isMeant(_ candidate: InAppCandidate, _ device: InAppDevice, at now: Timestamp) -> Bool {
        isRunning(candidate, at: now) && mayShow(candidate, to: device, at: now)
            && selects(candidate.audience, device)
            && !(candidate.exclude.map { selects($0, device) } ?? false)
    }

    /// Returns the lists in which a device's token must be looked up.
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

    /// Returns true if the device has not displayed it, or displayed it long enough ago.
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
