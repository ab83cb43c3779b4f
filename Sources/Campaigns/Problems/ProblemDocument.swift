/// The one form for every problem, on AMQP, HTTP and the command line (contract, section 2; RFC 9457).
public struct ProblemDocument: Sendable, Equatable {
    /// The stable name behind `urn:fanfare:problem:`.
    public var kind: Kind
    /// One sentence for people.
    public var title: String
    /// The campaign's id, if there is one.
    public var campaign: String?
    /// Everything that is wrong.
    public var errors: [Problem]
    /// What is accepted, but perhaps not what was meant.
    public var warnings: [Problem]

    /// Sorts of problems; stable.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job breaks the contract.
        case invalidJob = "invalid-job"
        /// Another job has the id.
        case campaignConflict = "campaign-conflict"
        /// The audience file cannot be used.
        case invalidAudience = "invalid-audience"
        /// The content cannot be stored.
        case invalidContent = "invalid-content"
        /// No such campaign, list or parked message.
        case notFound = "not-found"
        /// The id belongs to campaigns of two apps.
        case ambiguousCampaign = "ambiguous-campaign"
        /// The command was called wrongly.
        case usage
        /// Broker or store cannot be reached.
        case unavailable
        /// The time of `--wait` is over.
        case timeout
        /// Not allowed.
        case forbidden
        /// The configuration is wrong.
        case configuration
        /// The campaign failed.
        case failed
        /// The campaign is in a state in which this cannot be done.
        case wrongState = "wrong-state"
        /// No access token, or one that is not known.
        case unauthorized
        /// The path does not take this method.
        case methodNotAllowed = "method-not-allowed"
        /// The body is larger than what is taken.
        case tooLarge = "too-large"
        /// The body is of a type that is not taken.
        case mediaType = "media-type"
        /// More requests than are allowed.
        case tooManyRequests = "too-many-requests"

        /// The HTTP status that goes with it.
        public var status: Int {
            switch self {
            case .invalidJob, .invalidAudience, .invalidContent: 422
            case .campaignConflict, .ambiguousCampaign, .wrongState: 409
            case .unauthorized: 401
            case .methodNotAllowed: 405
            case .tooLarge: 413
            case .mediaType: 415
            case .tooManyRequests: 429
            case .notFound: 404
            case .usage: 400
            case .unavailable: 503
            case .timeout: 504
            case .forbidden: 403
            case .configuration, .failed: 500
            }
        }
    }

    /// A problem document.
    public init(
        _ kind: Kind,
        title: String,
        campaign: String? = nil,
        errors: [Problem] = [],
        warnings: [Problem] = []
    ) {
        self.kind = kind
        self.title = title
        self.campaign = campaign
        self.errors = errors
        self.warnings = warnings
    }

    /// The answer to a job that the decoder refused.
    public init(refused decoding: JobDecoding) {
        self.init(
            .invalidJob,
            title: "The job cannot be sent",
            campaign: decoding.id,
            errors: decoding.problems,
            warnings: decoding.warnings
        )
    }

    /// The document as the contract shows it; `errors` and `warnings` are always there.
    public var json: JSONValue {
        .object([
            "type": .string("urn:fanfare:problem:" + kind.rawValue),
            "title": .string(title),
            "status": .number(JSONNumber(kind.status)),
            "campaign": campaign.map(JSONValue.string),
            "errors": .array(errors.map(\.json)),
            "warnings": .array(warnings.map(\.json)),
        ])
    }

    /// The same for people: the title, then one line a problem: pointer, detail, mend.
    public var text: String {
        var lines = [title + (campaign.map { " (\($0))" } ?? "") + (errors.isEmpty ? "" : ":")]
        lines += errors.map { "  " + $0.text }
        lines += warnings.map { "  warning: " + $0.text }
        return lines.joined(separator: "\n")
    }
}

extension Problem {
    /// `pointer`, `code`, `detail`, and `fix` when there is one.
    public var json: JSONValue {
        .object([
            "pointer": .string(pointer),
            "code": .string(code),
            "detail": .string(detail),
            "mend": fix.map(JSONValue.string),
        ])
    }

    /// Reads what ``json`` wrote; nil when a member is missing or has another type.
    public init?(json: JSONValue) {
        guard let pointer = json["pointer"]?.string, let code = json["code"]?.string,
            let detail = json["detail"]?.string
        else { return nil }
        self.init(pointer: pointer, code: code, detail: detail, fix: json["mend"]?.string)
    }

    /// One line for people, safe for a terminal: `/delivery/ttl: … (…)`.
    public var text: String {
        let line = (pointer.isEmpty ? "" : pointer + ": ") + detail + (fix.map { " (\($0))" } ?? "")
        return String(
            String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }
}
