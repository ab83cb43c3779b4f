/// The facts about a job besides its bytes: the AMQP properties of its message, and the time.
public struct JobEnvelope: Sendable {
    /// The routing key, which must equal the job's `app`; nil if the job did not come from the broker.
    public var routingKey: String?
    /// The AMQP property `message_id`, used if the job has no `id`.
    public var messageID: String?
    /// The AMQP property `content_type`; absent means JSON.
    public var contentType: String?
    /// The AMQP property `type`; absent means `fanfare.campaign.v1`.
    public var type: String?
    /// The AMQP property `timestamp`, in seconds since the epoch, used if the job has no `created_at`.
    public var timestampSeconds: Int64?
    /// The AMQP header `urgency`, which selects the intake queue.
    public var urgencyHeader: String?
    /// The wall clock at acceptance.
    public var now: Timestamp
    /// True if RabbitMQ has translated the message from AMQP 1.0 as it does until 3.12: then the type names the kind of
    /// body, and the timestamp counts milliseconds.
    public var isTranslated = false
    /// True if past or future instants are problems; false for a job that was accepted before.
    public var judgesTime = true
    /// The token forms of all built-in providers.
    public var tokens: TokenForms

    /// Creates an envelope; a job from a file has none of the properties.
    public init(
        routingKey: String? = nil,
        messageID: String? = nil,
        contentType: String? = nil,
        type: String? = nil,
        timestampSeconds: Int64? = nil,
        urgencyHeader: String? = nil,
        now: Timestamp,
        tokens: TokenForms
    ) {
        self.routingKey = routingKey
        self.messageID = messageID
        self.contentType = contentType
        self.type = type
        self.timestampSeconds = timestampSeconds
        self.urgencyHeader = urgencyHeader
        self.now = now
        self.tokens = tokens
    }

    /// The property `timestamp` as an instant.
    var timestamp: Timestamp? {
        guard let timestampSeconds else { return nil }
        if isTranslated { return Timestamp(milliseconds: timestampSeconds) }
        let (milliseconds, overflow) = timestampSeconds.multipliedReportingOverflow(by: 1000)
        return Timestamp(milliseconds: overflow ? (timestampSeconds < 0 ? .min : .max) : milliseconds)
    }
}

/// The result of decoding a producer's bytes.
public struct JobDecoding: Sendable {
    /// The job; nil if there are problems.
    public let job: Job?
    /// The campaign's id, if readable, for the answer to a refused job.
    public let id: String?
    /// The app, if readable; the routing key if there is one.
    public let app: String?
    /// All problems; empty for a valid job.
    public let problems: [Problem]
    /// Input that is accepted, but is perhaps not what the producer meant.
    public let warnings: [Problem]
}
