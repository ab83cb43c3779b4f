public import Campaigns
public import Delivery

/// A job that intake has found valid, in the ledger's form.
public struct NewCampaign: Sendable {
    /// The job's canonical form, the same for all spellings and without `created_at` and `metadata`; two jobs of one id
    /// are the same if these are equal.
    public var identity: [UInt8]
    /// The job as received, without its devices; for people.
    public var job: [UInt8]
    /// The campaign's kind.
    public var kind: CampaignKind
    /// The content that the app fetches by the campaign's id; nil for none.
    public var content: NewContent?
    /// The campaign's name, for people.
    public var name: String?
    /// The campaign's tags, for people.
    public var tags: [String]
    /// The campaign's metadata, for people.
    public var metadata: [String: String]
    /// The facts that all shards share: app, id, urgency, expiry, payload, …; each chunk has its own environment.
    ///
    /// With several providers, provider and content come from `contents`.
    public var facts: Shard.Facts
    /// True if the shards carry the devices' variables.
    public var carriesVariables: Bool
    /// The content in each language, the standard one first; empty if one content is for all.
    public var variants: [CampaignVariant]
    /// The content for each provider of an audience with several; empty if `facts` has the only one, or if the
    /// providers are not known yet.
    public var contents: [CampaignContent]
    /// The campaign's own rate; nil for none.
    public var pace: Pace?
    /// True if the campaign is sent even to devices that have reached the app's frequency cap.
    public var ignoresCap: Bool
    /// The change to the registry's badge counts; nil for none.
    public var badge: BadgeChange?
    /// The devices to send to.
    public var audience: Audience
    /// The audience that the planner has to materialize first; nil if the audience is already a list.
    public var freezing: Freezing?
    /// The largest audience that starts by itself; a larger one pauses the campaign before its first push.
    public var atMost: Int?
    /// The producer's instant of creation.
    public var createdAt: Timestamp
    /// The conditions for the start, and the part of the expiry that counts from there.
    public var release: Release
    /// The key that campaigns share that collapse in the queue; nil for a campaign that does not collapse.
    public var collapseKey: [UInt8]?
    /// A part for each time zone of the devices; empty if all devices begin and end at the same instants.
    ///
    /// With several providers, each provider's devices are split by zone as well.
    public var parts: [NewPart]
    /// The repetition; nil for a campaign that is sent.
    ///
    /// A repeated campaign is not sent itself.
    public var repetition: NewRepetition?
    /// The in-app part of a campaign whose message the app fetches, so that nothing is sent; nil for a campaign that is
    /// sent.
    public var inApp: NewInApp?
    /// The job's `message_id`, for the events.
    public var correlationID: String
    /// The event for the producer; nil for none.
    public var event: CampaignEvent?

    /// The conditions under which a campaign may begin.
    public struct Release: Sendable, Equatable {
        /// The earliest start; nil for at once.
        public var sendAt: Timestamp?
        /// True if the campaign waits for `fire`.
        public var isHeld: Bool
        /// The lifetime from the release; nil if the producer gave the end as an instant.
        public var seconds: Int?

        /// A release; at once by default.
        public init(sendAt: Timestamp? = nil, isHeld: Bool = false, seconds: Int? = nil) {
            self.sendAt = sendAt
            self.isHeld = isHeld
            self.seconds = seconds
        }
    }

    /// The origin of the devices.
    public enum Audience: Sendable {
        /// A finished list.
        case list(UInt32)
        /// The devices of the job, cut into chunks, and the number of duplicates.
        case inline([ListChunk], version: String, duplicates: Int)
        /// The devices of a job with more chunks than one transaction writes: in a list that is not visible yet.
        case written(list: UInt32, version: String, duplicates: Int)
        /// Devices of the registry; the job says which.
        case registry
    }

    /// An audience that must become a list before anything is planned.
    public struct Freezing: Sendable {
        /// The list whose devices are left out; nil if the job leaves out none, or leaves out others.
        public var excludedList: UInt32?
        /// The id of the upload that is awaited before anything else; nil for none.
        public var upload: String?

        /// The facts that are known at acceptance.
        public init(excludedList: UInt32?, upload: String? = nil) {
            (self.excludedList, self.upload) = (excludedList, upload)
        }
    }

    /// A campaign to be accepted.
    public init(
        identity: [UInt8],
        job: [UInt8],
        kind: CampaignKind = .notification,
        content: NewContent? = nil,
        name: String? = nil,
        tags: [String] = [],
        metadata: [String: String] = [:],
        facts: Shard.Facts,
        carriesVariables: Bool = false,
        variants: [CampaignVariant] = [],
        contents: [CampaignContent] = [],
        pace: Pace? = nil,
        ignoresCap: Bool = false,
        badge: BadgeChange? = nil,
        audience: Audience,
        freezing: Freezing? = nil,
        atMost: Int? = nil,
        createdAt: Timestamp,
        release: Release = Release(),
        collapseKey: [UInt8]? = nil,
        parts: [NewPart] = [],
        repetition: NewRepetition? = nil,
        inApp: NewInApp? = nil,
        correlationID: String,
        event: CampaignEvent? = nil
    ) {
        self.identity = identity
        self.job = job
        self.kind = kind
        self.content = content
        self.name = name
        self.tags = tags
        self.metadata = metadata
        self.facts = facts
        self.carriesVariables = carriesVariables
        self.variants = variants
        self.contents = contents
        self.pace = pace
        self.ignoresCap = ignoresCap
        self.badge = badge
        self.audience = audience
        self.freezing = freezing
        self.atMost = atMost
        self.createdAt = createdAt
        self.release = release
        self.collapseKey = collapseKey
        self.parts = parts
        self.repetition = repetition
        self.inApp = inApp
        self.correlationID = correlationID
        self.event = event
    }
}

/// The result of accepting a job.
public enum Acceptance: Sendable, Equatable {
    /// The job is a campaign now.
    case accepted(number: UInt32, audience: Int)
    /// The same job was accepted before.
    case existing(CampaignFacts, audience: Int)
    /// Another job has this id.
    case conflict(CampaignFacts)
}

/// A refused job whose key no campaign has; the producer may fix it and send it again under its id.
public struct RefusedJob: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The job's id.
    public var id: String
    /// The problem document as JSON.
    public var document: [UInt8]
    /// The instant of the last refusal.
    public var at: Timestamp
}
