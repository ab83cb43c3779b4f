/// One message to one audience, as a producer asks for it (contract, section 1), after decoding.
public struct Job: Sendable, Equatable {
    /// Unique per app; 1–128 of `[A-Za-z0-9._:-]`.
    public var id: String
    /// The app; equals the AMQP routing key.
    public var app: String
    /// What it is for the app.
    public var kind: CampaignKind
    /// The producer's clock, or the AMQP timestamp, or nil when neither was given (then acceptance counts).
    public var createdAt: Timestamp?
    /// For people.
    public var name: String?
    /// At most 20.
    public var tags: [String]
    /// At most 20 pairs; not part of the campaign's identity.
    public var metadata: [String: String]
    /// Who is meant.
    public var audience: Audience
    /// Who is left out of them; nil for nobody.
    public var exclude: Audience?
    /// A larger audience pauses the campaign before its first push.
    public var atMost: Int?
    /// What they see.
    public var content: Content
    /// How, and until when.
    public var delivery: DeliveryOptions
    /// Under which names the app reads what pushes carry for it: no part of the job, but of the app that it is for.
    public var payloadNames = PayloadNames()

    /// A job; the decoder is what makes one from a producer's bytes.
    public init(
        id: String,
        app: String,
        kind: CampaignKind = .notification,
        createdAt: Timestamp? = nil,
        name: String? = nil,
        tags: [String] = [],
        metadata: [String: String] = [:],
        audience: Audience,
        exclude: Audience? = nil,
        atMost: Int? = nil,
        content: Content,
        delivery: DeliveryOptions = DeliveryOptions()
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.createdAt = createdAt
        self.name = name
        self.tags = tags
        self.metadata = metadata
        self.audience = audience
        self.exclude = exclude
        self.atMost = atMost
        self.content = content
        self.delivery = delivery
    }
}

/// Who is meant, or who is left out.
public enum Audience: Sendable, Equatable {
    /// Named in the job, 1 to 10,000 (1,000 when urgent).
    case devices([Device])
    /// An uploaded list; nil is its newest version at acceptance.
    case list(name: String, version: String?)
    /// The devices of users of the registry, by their keys, 1 to 10,000 (1,000 when urgent).
    case users([String])
    /// Devices of the registry that an expression holds for.
    case segment(Segment)
    /// All devices of the app in the registry, said out loud.
    case everyone

    /// The selector's field in the job.
    public var selector: String {
        switch self {
        case .devices: "devices"
        case .list: "list"
        case .users: "users"
        case .segment: "segment"
        case .everyone: "everyone"
        }
    }

    /// Whether the registry says who is meant.
    public var isOfRegistry: Bool {
        switch self {
        case .devices, .list: false
        case .users, .segment, .everyone: true
        }
    }
}

extension Job {
    /// True when pushes are sent for it; otherwise apps ask for it when a session starts.
    public var sendsPushes: Bool { kind != .inApp && delivery.show != .inApp }

    /// Whether its audience is materialised into a list before anything is planned (design, section 10).
    public var isFrozenFirst: Bool { audience.isOfRegistry || exclude != nil }
}

/// What the person sees, in words that every provider maps to its own fields.
public struct Content: Sendable, Equatable {
    /// The first line.
    public var title: String?
    /// The second line.
    public var subtitle: String?
    /// The text.
    public var body: String?
    /// The title's key in the app's own localizations.
    public var titleLocKey: String?
    /// What replaces the placeholders of the localized title.
    public var titleLocArgs: [String] = []
    /// The subtitle's key in the app's own localizations.
    public var subtitleLocKey: String?
    /// What replaces the placeholders of the localized subtitle.
    public var subtitleLocArgs: [String] = []
    /// The body's key in the app's own localizations.
    public var locKey: String?
    /// What replaces the placeholders of the localized body.
    public var locArgs: [String] = []
    /// The image or storyboard that the app shows while it starts.
    public var launchImage: String?
    /// What a tap opens; travels in the `fanfare` object.
    public var url: String?
    /// https; sets mutable-content by itself.
    public var mediaURL: String?
    /// The name of a set of action buttons that the app has registered.
    public var category: String?
    /// The category that picks who draws it inside the app, when that is another one than the buttons'; travels in the
    /// `fanfare` object.
    public var layout: String?
    /// What buttons open, by their ids; travels in the `fanfare` object.
    public var actions: [ActionLink] = []
    /// A template of the count, instead of `badge`.
    public var badgeTemplate: String?
    /// A count.
    public var badge: Int?
    /// `"+1"` or `"-1"` on the count that the registry keeps for each device, instead of `badge`.
    public var badgeStep: BadgeStep?
    /// No `sound` is no sound.
    public var sound: Sound?
    /// Groups notifications.
    public var threadID: String?
    /// `passive`, `active`, `time-sensitive` or `critical`.
    public var interruptionLevel: String?
    /// 0 … 1; any number for a Live Activity.
    public var relevanceScore: JSONNumber?
    /// The window that the app brings to the front.
    public var targetContentID: String?
    /// What a Focus filters by.
    public var filterCriteria: String?
    /// Wakes the app in the background.
    public var contentAvailable = false
    /// Lets the app's service extension change the notification.
    public var mutableContent = false
    /// Peers of `aps`; keys in the order of the job.
    public var data: [JSONMember] = []
    /// Goes with the push type `liveactivity`, and only with it.
    public var liveActivity: LiveActivity?
    /// Names content to fetch; with notifications only.
    public var rich: RichReference?
    /// The page of a campaign of that kind.
    public var announcement: Announcement?
    /// The questions of a campaign of that kind.
    public var poll: Poll?
    /// The bytes of a campaign of that kind.
    public var dataPush: DataPush?
    /// The message of a campaign of that kind.
    public var inApp: InAppMessage?
    /// Raw provider fields, merged last: `content.apns`.
    public var apns: JSONValue?
    /// The same for FCM: members of Google's `message`, `content.fcm`.
    public var fcm: JSONValue?
    /// The same in other languages, by BCP 47 tag, in the order of the job.
    public var localizations: [Localization] = []

    /// Nothing at all; the decoder fills it.
    public init() {}

    /// Whether a person would see or hear something.
    public var hasAlert: Bool {
        title != nil || subtitle != nil || body != nil || titleLocKey != nil || subtitleLocKey != nil || locKey != nil
    }
}

/// A sound's name, or Apple's dictionary of a critical alert.
public struct Sound: Sendable, Equatable {
    /// A file in the app, or `default`.
    public var name: String
    /// Critical alert (needs Apple's entitlement).
    public var critical: Bool
    /// 0 … 1; only with `critical`.
    public var volume: JSONNumber?

    /// A sound by name.
    public init(name: String, critical: Bool = false, volume: JSONNumber? = nil) {
        self.name = name
        self.critical = critical
        self.volume = volume
    }
}

/// A Live Activity's block (push type `liveactivity`).
public struct LiveActivity: Sendable, Equatable {
    /// `start`, `update` or `end`.
    public var event: String
    /// What the app's widget decodes; an object.
    public var contentState: JSONValue
    /// Seconds since the epoch; Apple drops updates older than the newest it has.
    public var timestamp: Int64
    /// Seconds since the epoch after which the content is shown as outdated.
    public var staleDate: Int64?
    /// Seconds since the epoch at which it leaves the lock screen; only with `end`.
    public var dismissalDate: Int64?
    /// The app's type of attributes; only with `start`.
    public var attributesType: String?
    /// What that type decodes, an object; only with `start`.
    public var attributes: JSONValue?

    /// An activity's next state.
    public init(event: String, contentState: JSONValue, timestamp: Int64) {
        self.event = event
        self.contentState = contentState
        self.timestamp = timestamp
    }
}

/// How a campaign is delivered, and until when.
public struct DeliveryOptions: Sendable, Equatable {
    /// Apple's push type; nil lets the content decide: `alert`, or `background`.
    public var pushType: PushType?
    /// nil: high, for background pushes normal.
    public var priority: Priority?
    /// Which lane it takes.
    public var urgency = Urgency.bulk
    /// Not before this instant; nil is at once.
    public var sendAt: Timestamp?
    /// The same as a reading of the device's wall clock (`local_time`).
    public var localSendAt: LocalTime?
    /// A daily window in which nothing is sent, on the device's wall clock.
    public var quietHours: QuietHours?
    /// Whether everything is prepared and waits for `campaign fire`.
    public var hold = false
    /// When it comes again; nil for a campaign that is sent once.
    public var repetition: Repetition?
    /// When it is too late.
    public var expiry = Expiry.none
    /// `if_offline: "drop"` asks the provider not to store the push.
    public var dropIfOffline = false
    /// At most 64 bytes of UTF-8, after rendering when it is a template.
    public var collapseID: String?
    /// Whether it collapses in the queue too: stops the rest of older campaigns of its collapse id and audience, and is
    /// stopped by a newer one.
    public var supersede = true
    /// 1 … 100; the default is the contract's.
    public var maxAttempts = 8
    /// What becomes of a device whose answer never came.
    public var onUnknown = OnUnknown.resend
    /// What Android gets; nil is the app's own choice.
    public var android: AndroidMessage?

    /// Requests a second over the whole fleet, retries included, 1 … 1,000,000; nil: as fast as the fleet can.
    public var perSecond: Int?
    /// Seconds until the full rate, 0 … 86,400.
    public var rampUp = 0
    /// What the app's frequency cap means for it.
    public var frequencyCap = FrequencyCapUse.respect
    /// The teller: the app or the system.
    public var show = Showing.any
    /// When the message of an in-app campaign is shown, and how often.
    public var inApp: InAppDelivery?

    /// The contract's defaults.
    public init() {}

    /// `high`, `normal`, `low`.
    public enum Priority: String, Sendable, CaseIterable {
        /// At once (APNs 10).
        case high
        /// When it suits the device's battery (APNs 5).
        case normal
        /// Never wakes the device (APNs 1).
        case low
    }

    /// The teller of a campaign: the app or the system.
    public enum Showing: String, Sendable, CaseIterable {
        /// The app when it is in front, else the system; the app at its next session where no push could come.
        case any
        /// The system, in front too.
        case system
        /// The app at its next session; no push is sent.
        case inApp = "in_app"
    }

    /// What an app's frequency cap means for a campaign; it counts for it either way.
    public enum FrequencyCapUse: String, Sendable, CaseIterable {
        /// Devices that have had enough are left out.
        case respect
        /// Nobody is left out.
        case ignore
    }

    /// What ends a campaign's use, as the job says it.
    public enum Expiry: Sendable, Equatable {
        /// Neither field: 30 days from release.
        case none
        /// `expires_at`.
        case at(Timestamp)
        /// `expires_at` as a reading of the device's wall clock (`local_time`).
        case atLocal(LocalTime)
        /// `ttl`, 1 … 2,592,000 s from release.
        case ttl(seconds: Int)
    }

    /// What Android gets.
    public enum AndroidMessage: String, Sendable, CaseIterable {
        /// Android shows it by itself while the app is not in front.
        case notification
        /// The app gets it as data, and shows what it likes.
        case data
    }

    /// What becomes of a device whose answer never came.
    public enum OnUnknown: String, Sendable, CaseIterable {
        /// At least once: it is sent again.
        case resend
        /// At most once: it ends `failed`, reason `Unknown`.
        case drop
    }
}

/// The lane's second half: urgent sends never wait behind bulk.
public enum Urgency: String, Sendable, CaseIterable {
    /// Ahead of bulk, on connections of its own.
    case urgent
    /// Everything else.
    case bulk
}

/// Apple's push types (`apns-push-type`), each with rules of its own.
public enum PushType: String, Sendable, CaseIterable {
    /// Text, badge or sound.
    case alert
    /// Wakes the app and shows nothing; never of high priority.
    case background
    /// Asks for the location.
    case location
    /// An incoming call; payloads of up to 5,120 bytes.
    case voip
    /// Updates a watch face.
    case complication
    /// Tells a file provider of changes.
    case fileprovider
    /// Device management.
    case mdm
    /// Starts, updates or ends a Live Activity.
    case liveactivity
    /// Push to talk.
    case pushtotalk
    /// Reloads widgets.
    case widgets
    /// Reloads controls.
    case controls
}
