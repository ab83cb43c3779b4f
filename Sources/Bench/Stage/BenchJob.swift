import Campaigns
import Operations
import PushProviders

/// The campaign that a worker is measured with.
struct BenchJob: Sendable {
    /// The app of the simulator's `apps.yaml`.
    static let app = "news"
    /// Another app, whose requests go to a simulator of their own.
    static let urgentApp = "alerts"
    /// The list of all devices.
    static let list = "bench"

    /// The receiver of an urgent campaign's only request.
    enum Receiver {
        /// A device.
        case device
        /// A broadcast channel: all who follow it see the update.
        case channel
    }

    /// The count that a campaign needs for each device.
    enum Counted: Sendable {
        /// Nothing.
        case none
        /// The frequency cap, by a tag that other campaigns do not have.
        case cap
        /// The badge.
        case badge
    }

    /// The tag of campaigns that the frequency cap binds.
    static let cappedTag = "capped"

    let job: Job
    private let body: [UInt8]
    let createdAt: Timestamp

    /// Makes a campaign; each needs its own number.
    ///
    /// All ids have one length: a push names its campaign, and h2load's body has to be as long as ours.
    ///
    /// - Parameters:
    ///   - audience: The job's `audience`.
    ///   - isPersonal: Three variables a device and four languages, of about the same length.
    init(
        number: Int,
        to audience: JSONValue = ["list": .string(Self.list)],
        maxAttempts: Int = 8,
        perSecond: Int? = nil,
        isPersonal: Bool = false,
        isHeld: Bool = false,
        counted: Counted = .none,
        now: Timestamp
    ) throws {
        let tags = counted == .cap ? "\"\(Self.cappedTag)\"" : ""
        let badge = counted == .badge ? "\"badge\": \"+1\", " : ""
        let rate = perSecond.map { ", \"per_second\": \($0)" } ?? ""
        let text = """
            {"id": "bench-\(10_000 + number)", "app": "\(Self.app)", "created_at": "\(now.rfc3339)",
             "audience": \(audience.text), "tags": [\(tags)],
             "content": {\(badge)"title": \(isPersonal ? Self.personalTitle : Self.title), "sound": "default",
              "thread_id": "derby", "body": \(isPersonal ? Self.personalBody : Self.body),
              "data": {"match": 7, "league": "laliga"}, "localizations": \(isPersonal ? Self.localizations : "{}")},
             "delivery": {"ttl": 86400, "max_attempts": \(maxAttempts), "hold": \(isHeld)\(rate)}}
            """
        try self.init(text: text, now: now)
    }

    private static let title = #""Derby kick-off""#
    private static let body =
        #""Real against Atleti begins in ten minutes. Open the app to follow it minute by minute.""#
    private static let personalTitle = #""{{ first | default: \"fan\" }}: kick-off""#
    private static let personalBody =
        #""Real against {{ team }} begins in ten minutes. {{ points }} points: follow it minute by minute.""#
    private static let localizations = """
        {"es": {"title": "{{ first | default: \\"fan\\" }}: empieza",
          "body": "Real contra {{ team }} empieza en diez minutos. {{ points }} puntos: siguelo minuto a minuto."},
         "de": {"title": "{{ first | default: \\"Fan\\" }}: Anpfiff",
          "body": "Real gegen {{ team }} beginnt in zehn Minuten. {{ points }} Punkte: Minute um Minute dabei."},
         "pt": {"title": "{{ first | default: \\"fan\\" }}: comeca",
          "body": "Real contra {{ team }} comeca em dez minutos. {{ points }} pontos: siga minuto a minuto."}}
        """
    /// The devices' languages: the standard content's and those of its localizations.
    static let locales = ["en", "es-ES", "de-DE", "pt-BR"]

    /// Makes an urgent campaign to one device.
    init(urgent id: String, token: String, now: Timestamp) throws {
        let text = """
            {"id": "\(id)", "app": "\(Self.urgentApp)", "created_at": "\(now.rfc3339)",
             "audience": {"devices": [{"token": "\(token)"}]}, "content": {"title": "Goal", "body": "1:0 for Real"},
             "delivery": {"ttl": 600, "urgency": "urgent"}}
            """
        try self.init(text: text, now: now)
    }

    /// The broadcast channel of a match.
    static let channel = "derby-21"

    /// Makes an urgent update of the Live Activity of everyone who follows the channel.
    init(goal id: String, now: Timestamp) throws {
        let text = """
            {"id": "\(id)", "app": "\(Self.urgentApp)", "created_at": "\(now.rfc3339)",
             "audience": {"channel": "\(Self.channel)"},
             "content": {"live_activity": {"event": "update", "timestamp": \(now.seconds),
              "content_state": {"home": 1, "away": 0, "minute": 21}}},
             "delivery": {"push_type": "liveactivity", "ttl": 600, "urgency": "urgent"}}
            """
        try self.init(text: text, now: now)
    }

    /// The Live Activity of a match.
    static let activity = ActivityName(type: "MatchAttributes", id: "match-7")

    /// Makes an update of the Live Activity of everyone whose device has a token for it.
    init(update number: Int, now: Timestamp) throws {
        let text = """
            {"id": "bench-\(10_000 + number)", "app": "\(Self.app)", "created_at": "\(now.rfc3339)",
             "audience": {"activity": {"type": "\(Self.activity.type)", "id": "\(Self.activity.id)"}},
             "content": {"live_activity": {"event": "update", "timestamp": \(now.seconds),
              "content_state": {"home": 1, "away": 0, "minute": 21}}},
             "delivery": {"push_type": "liveactivity", "priority": "normal", "ttl": 600}}
            """
        try self.init(text: text, now: now)
    }

    private init(text: String, now: Timestamp) throws {
        body = Array(text.utf8)
        createdAt = now
        guard let job = JobDecoder.decode(body, envelope: JobEnvelope(now: now, tokens: ProviderRegistry.tokens)).job
        else {
            throw CommandFailure(.failed, "the bench's own job cannot be decoded")
        }
        self.job = job
    }

    /// Publishes the campaign as any producer would.
    func publish(_ producer: CampaignProducer) async throws {
        try await producer.publish(job, body: body, at: createdAt)
    }
}
