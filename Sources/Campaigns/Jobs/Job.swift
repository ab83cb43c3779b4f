/// One message to one audience, as a decoded request of a producer (contract, section 1).
public struct Job: Sendable, Equatable {
    /// The id, unique within the app; 1–128 of `[A-Za-z0-9._:-]`.
    public var id: String
    /// The app; equals the AMQP routing key.
    public var app: String
    /// The kind of campaign.
    public var kind: CampaignKind
    /// The creation, by the producer's clock or the AMQP timestamp; nil if neither is given (then acceptance counts).
    public var createdAt: Timestamp?
    /// A name for people.
    public var name: String?
    /// Tags, at most 20.
    public var tags: [String]
    /// Metadata, at most 20 pairs; not part of the campaign's identity.
    public var metadata: [String: String]
    /// The devices that get it.
    public var audience: Audience
    /// The devices that are left out; nil for none.
    public var exclude: Audience?
    /// The largest audience; a larger one pauses the campaign before its first push.
    public var atMost: Int?
    /// The id of the upload that is the list's version, and may be under way; nil if the list is there already.
    public var upload: String?
    /// The content.
    public var content: Content
    /// The manner and the end of delivery.
    public var delivery: DeliveryOptions
    /// The names under which the app reads our part of a payload: set by the app's configuration, not part of the job.
    public var payloadNames = PayloadNames()

    /// Creates a job; the decoder makes one from a producer's bytes.
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
        upload: String? = nil,
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
        self.upload = upload
        self.content = content
        self.delivery = delivery
    }
}

/// A selector of devices, to include or to leave out.
public enum Audience: Sendable, Equatable {
    /// Devices in the job, 1 to 10,000 (1,000 if urgent).
    case devices([Device])
    /// An uploaded list; without a version its newest one at acceptance.
    case list(name: String, version: String?)
    /// The registered devices of users, by their keys, 1 to 10,000 (1,000 if urgent).
    case users([String])
    /// The registered devices that match an expression.
    case segment(Segment)
    /// All of the app's registered devices, as an explicit choice.
    case everyone
    /// A broadcast channel of the app, by our name for it: one request reaches everyone who follows it.
    case channel(String)
    /// The registered devices that follow a Live Activity, by their tokens for it.
    case activity(ActivityName)

    /// The selector's field in the job.
    public var selector: String {
        switch self {
        case .devices: "devices"
        case .list: "list"
        case .users: "users"
        case .segment: "segment"
        case .everyone: "everyone"
        case .channel: "channel"
        case .activity: "activity"
        }
    }

    /// True if the registry determines the devices.
    public var isOfRegistry: Bool {
        switch self {
        case .devices, .list, .channel: false
        case .users, .segment, .everyone, .activity: true
        }
    }
}

extension Job {
    /// True if the campaign sends pushes; otherwise apps fetch it when a session starts.
    public var sendsPushes: Bool { kind != .inApp && delivery.show != .inApp }

    /// True if the audience is materialized into a list before planning (design, section 10).
    public var isFrozenFirst: Bool { audience.isOfRegistry || exclude != nil || upload != nil }
}

/// A message, in terms that every provider maps to its own fields.
public struct Content: Sendable, Equatable {
    /// The first line.
    public var title: String?
    /// The second line.
    public var subtitle: String?
    /// The text.
    public var body: String?
    /// The title's key in the app's own localizations.
    public var titleLocKey: String?
    /// The arguments for the placeholders of the localized title.
    public var titleLocArgs: [String] = []
    /// The subtitle's key in the app's own localizations.
    public var subtitleLocKey: String?
    /// The arguments for the placeholders of the localized subtitle.
    public var subtitleLocArgs: [String] = []
    /// The body's key in the app's own localizations.
    public var locKey: String?
    /// The arguments for the placeholders of the localized body.
    public var locArgs: [String] = []
    /// The image or storyboard that the app shows while it launches.
    public var launchImage: String?
    /// The address that a tap opens; travels in the `fanfare` object.
    public var url: String?
    /// The https address of media to show; implies mutable-content.
    public var mediaURL: String?
    /// The name of a set of action buttons that the app has registered.
    public var category: String?
    /// The category that selects the in-app layout, if it differs from `category`; travels in the `fanfare` object.
    public var layout: String?
    /// The links of buttons, by the buttons' ids; travel in the `fanfare` object.
    public var actions: [ActionLink] = []
    /// A template of the badge, instead of `badge`.
    public var badgeTemplate: String?
    /// The badge.
    public var badge: Int?
    /// A change, `"+1"` or `"-1"`, of the badge count that the registry keeps for each device, instead of `badge`.
    public var badgeStep: BadgeStep?
    /// The sound; nil means none.
    public var sound: Sound?
    /// The key by which the system groups notifications.
    public var threadID: String?
    /// `passive`, `active`, `time-sensitive` or `critical`.
    public var interruptionLevel: String?
    /// The relevance, 0 … 1; any number for a Live Activity.
    public var relevanceScore: JSONNumber?
    /// The window that the app brings to the front.
    public var targetContentID: String?
    /// The value that a Focus filters by.
    public var filterCriteria: String?
    /// True to wake the app in the background.
    public var contentAvailable = false
    /// True to let the app's service extension change the notification.
    public var mutableContent = false
    /// The app's own keys beside `aps`, in the order of the job.
    public var data: [JSONMember] = []
    /// The Live Activity, required by the push type `liveactivity` and allowed only with it.
    public var liveActivity: LiveActivity?
    /// A reference to content that the app fetches; only for notifications.
    public var rich: RichReference?
    /// The page of an announcement.
    public var announcement: Announcement?
    /// The questions of a poll.
    public var poll: Poll?
    /// The bytes of a data push.
    public var dataPush: DataPush?
    /// The message of an in-app campaign.
    public var inApp: InAppMessage?
    /// The raw payload for APNs, merged last: `content.apns`.
    public var apns: JSONValue?
    /// The raw payload for FCM, members of Google's `message`: `content.fcm`.
    public var fcm: JSONValue?
    /// The localizations, by BCP 47 tag, in the order of the job.
    public var localizations: [Localization] = []

    /// Creates empty content, to be filled in.
    public init() {}

    /// True if the notification has a text.
    public var hasAlert: Bool {
        title != nil || subtitle != nil || body != nil || titleLocKey != nil || subtitleLocKey != nil || locKey != nil
    }
}

/// A sound's name, or Apple's dictionary of a critical alert.
public struct Sound: Sendable, Equatable {
    /// A file in the app, or `default`.
    public var name: String
    /// True for a critical alert (needs Apple's entitlement).
    public var critical: Bool
    /// The volume, 0 … 1; only with `critical`.
    public var volume: JSONNumber?

    /// Creates a sound by name.
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
    /// The state that the app's widget decodes; an object.
    public var contentState: JSONValue
    /// Seconds since the epoch; Apple drops updates that are older than its newest.
    public var timestamp: Int64
    /// Seconds since the epoch after which the content is shown as outdated.
    public var staleDate: Int64?
    /// Seconds since the epoch at which it leaves the lock screen; only with `end`.
    public var dismissalDate: Int64?
    /// The app's type of attributes; only with `start`.
    public var attributesType: String?
    /// The value that this type decodes, an object; only with `start`.
    public var attributes: JSONValue?

    /// Creates an activity's next state.
    public init(event: String, contentState: JSONValue, timestamp: Int64) {
        self.event = event
        self.contentState = contentState
        self.timestamp = timestamp
    }
}

/// The manner and the end of a campaign's delivery.
public struct DeliveryOptions: Sendable, Equatable {
    /// Apple's push type; nil derives `alert` or `background` from the content.
    public var pushType: PushType?
    /// The priority; nil means high, or normal for background pushes.
    public var priority: Priority?
    /// The scalars that travel with each shard.
    public var policy = DeliveryPolicy()
    /// The earliest beginning; nil means at once.
    public var sendAt: Timestamp?
    /// The earliest beginning by the device's wall clock (`local_time`).
    public var localSendAt: LocalTime?
    /// The daily hours without sending, by the device's wall clock.
    public var quietHours: QuietHours?
    /// True if everything is prepared and waits for `campaign fire`.
    public var hold = false
    /// The schedule of a repeated campaign; nil for one that is sent once.
    public var repetition: Repetition?
    /// The end of the campaign's use.
    public var expiry = Expiry.none
    /// The collapse id; at most 64 bytes of UTF-8, for a template after rendering.
    public var collapseID: String?
    /// True if it collapses in the queue too.
    ///
    /// It then stops older campaigns of its collapse id and audience, and a newer one stops it.
    public var supersede = true
    /// The form of message for Android; nil is the app's own choice.
    public var android: AndroidMessage?

    /// Requests per second of the whole fleet, retries included, 1 … 1,000,000; nil means no limit.
    public var perSecond: Int?
    /// Seconds until the full rate is reached, 0 … 86,400.
    public var rampUp = 0
    /// The effect of the app's frequency cap.
    public var frequencyCap = FrequencyCapUse.respect
    /// The party that shows the campaign: the app or the system.
    public var show = Showing.any
    /// The conditions and the frequency of an in-app message's display.
    public var inApp: InAppDelivery?

    /// Creates the contract's defaults.
    public init() {}

    /// A push's priority.
    public enum Priority: String, Sendable, CaseIterable {
        /// Immediate delivery (APNs 10).
        case high
        /// Delivery that spares the device's battery (APNs 5).
        case normal
        /// Delivery that never wakes the device (APNs 1).
        case low
    }

    /// The party that shows a campaign: the app or the system.
    public enum Showing: String, Sendable, CaseIterable {
        /// The app if it is in the foreground, otherwise the system; the app at its next session if no push could
        /// arrive.
        case any
        /// The system, even if the app is in the foreground.
        case system
        /// The app at its next session; no push is sent.
        case inApp = "in_app"
    }

    /// The effect of an app's frequency cap on a campaign, which counts toward the cap in both cases.
    public enum FrequencyCapUse: String, Sendable, CaseIterable {
        /// Devices that have reached the cap are left out.
        case respect
        /// No device is left out.
        case ignore
    }

    /// The expiry of a campaign, as given by the job.
    public enum Expiry: Sendable, Equatable {
        /// The default: 30 days from release.
        case none
        /// `expires_at`.
        case at(Timestamp)
        /// `expires_at`, by the device's wall clock (`local_time`).
        case atLocal(LocalTime)
        /// `ttl`, 1 … 2,592,000 s from release.
        case ttl(seconds: Int)
    }

    /// The form of message for Android.
    public enum AndroidMessage: String, Sendable, CaseIterable {
        /// A notification that Android shows itself while the app is in the background.
        case notification
        /// A data message that the app receives and may show.
        case data
    }
}
