/// What is known of a job besides its bytes: the AMQP properties it came with, and the time.
public struct JobEnvelope: Sendable {
    /// The routing key, which must equal the job's `app`; nil when the job did not come from the broker.
    public var routingKey: String?
    /// The AMQP property `message_id`; stands in for an `id` that the job leaves out.
    public var messageID: String?
    /// The AMQP property `content_type`; absent means JSON.
    public var contentType: String?
    /// The AMQP property `type`; absent means `fanfare.campaign.v1`.
    public var type: String?
    /// The AMQP property `timestamp`, seconds since the epoch; stands in for a `created_at` that the job leaves out.
    public var timestampSeconds: Int64?
    /// The AMQP header `urgency`, which chooses the intake.
    public var urgencyHeader: String?
    /// The wall clock at acceptance.
    public var now: Timestamp
    /// Whether a job whose time has passed, or has not come, is wrong: not one that was accepted when it had.
    public var judgesTime = true
    /// How tokens of the providers that are built in are written.
    public var tokens: TokenForms

    /// An envelope; a job from a file has none of the properties.
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
        let (milliseconds, overflow) = timestampSeconds.multipliedReportingOverflow(by: 1000)
        return Timestamp(milliseconds: overflow ? (timestampSeconds < 0 ? .min : .max) : milliseconds)
    }
}

/// What became of a producer's bytes.
public struct JobDecoding: Sendable {
    /// The job; nil when there are problems.
    public let job: Job?
    /// The campaign's id as far as it could be read, for the answer to a refused job.
    public let id: String?
    /// The app as far as it could be read; the routing key when there is one.
    public let app: String?
    /// Everything that is wrong; empty when the job is good.
    public let problems: [Problem]
    /// What is accepted, but perhaps not what the producer expects.
    public let warnings: [Problem]
}
