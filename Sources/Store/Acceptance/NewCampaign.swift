public import Campaigns
public import Delivery

/// A job that intake has found good, as the ledger takes it.
public struct NewCampaign: Sendable {
    /// The job in the one form that all its spellings share, without `created_at` and `metadata`: two jobs of one id
    /// are the same when this is.
    public var identity: [UInt8]
    /// The job as it came, without its devices: for people.
    public var job: [UInt8]
    /// What it is for the app.
    public var kind: CampaignKind
    /// What the app fetches by the campaign's id; nil for nothing.
    public var content: NewContent?
    /// For people.
    public var name: String?
    /// For people.
    public var tags: [String]
    /// For people.
    public var metadata: [String: String]
    /// What its shards share: app, id, urgency, expiry, payload, …; the environment is each chunk's own.
    ///
    /// With several providers, provider and content are those of `contents`.
    public var facts: Shard.Facts
    /// Whether its shards carry the devices' variables.
    public var carriesVariables: Bool
    /// What its content is in each language, the standard one first; empty when there is one that is alike for all.
    public var variants: [CampaignVariant]
    /// What it is for the devices of each provider, when its audience has several; empty when it has the one of `facts`,
    /// or is not known yet.
    public var contents: [CampaignContent]
    /// Its own rate; nil for none.
    public var pace: Pace?
    /// Whether it is sent to devices that have had enough by the app's frequency cap.
    public var ignoresCap: Bool
    /// What it does to the counts that the registry keeps; nil for nothing.
    public var badge: BadgeChange?
    /// Who is meant.
    public var audience: Audience
    /// What the planner has to materialise first; nil: the audience is a list already.
    public var freezing: Freezing?
    /// A larger audience pauses the campaign before its first push.
    public var atMost: Int?
    /// The producer's instant.
    public var createdAt: Timestamp
    /// When it may begin, and what of its end counts from there.
    public var release: Release
    /// What campaigns have in common that collapse in the queue; nil for one that does not.
    public var collapseKey: [UInt8]?
    /// A part for each time zone of its devices; none when all begin and end at the same instants.
    ///
    /// With several providers each of them is cut by those, too.
    public var parts: [NewPart]
    /// When it comes again: it is not sent itself then; nil for a campaign that is sent.
    public var repetition: NewRepetition?
    /// What there is beside of one whose message the app fetches: nothing of it is sent; nil for a campaign that is sent.
    public var inApp: NewInApp?
    /// The job's `message_id`, for the events.
    public var correlationID: String
    /// The event that tells the producer; nil for none.
    public var event: CampaignEvent?

    /// When a campaign may begin.
    public struct Release: Sendable, Equatable {
        /// Not before this instant; nil is at once.
        public var sendAt: Timestamp?
        /// Whether it waits for `fire`.
        public var isHeld: Bool
        /// How long it lasts from its release; nil when its end is the producer's own instant.
        public var seconds: Int?

        /// At once, unless said otherwise.
        public init(sendAt: Timestamp? = nil, isHeld: Bool = false, seconds: Int? = nil) {
            self.sendAt = sendAt
            self.isHeld = isHeld
            self.seconds = seconds
        }
    }

    /// Where the devices are.
    public enum Audience: Sendable {
        /// A finished list.
        case list(UInt32)
        /// The devices of the job, cut into chunks, with how many occurred again.
        case inline([ListChunk], version: String, duplicates: Int)
        /// The same, when they were more chunks than one transaction writes: in a list that nobody sees yet.
        case written(list: UInt32, version: String, duplicates: Int)
        /// In the registry; the job says which.
        case registry
    }

    /// An audience that becomes a list before anything is planned.
    public struct Freezing: Sendable {
        /// The list whose devices are left out; nil when the job leaves out none, or others.
        public var excludedList: UInt32?

        /// What is known at acceptance.
        public init(excludedList: UInt32?) {
            self.excludedList = excludedList
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

/// What became of a job.
public enum Acceptance: Sendable, Equatable {
    /// It is a campaign now.
    case accepted(number: UInt32, audience: Int)
    /// The same job was accepted before.
    case existing(CampaignFacts, audience: Int)
    /// Another job has this id.
    case conflict(CampaignFacts)
}

/// A job that was refused and whose key no campaign has: it may be sent again, mended, under its id.
public struct RefusedJob: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The job's id.
    public var id: String
    /// The problem document as JSON.
    public var document: [UInt8]
    /// When it was refused last.
    public var at: Timestamp
}
