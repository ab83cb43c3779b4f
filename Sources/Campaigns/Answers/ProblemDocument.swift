/// The form of every problem on AMQP, HTTP and the command line (contract, section 2; RFC 9457).
public struct ProblemDocument: Sendable, Equatable {
    /// The stable name after `urn:fanfare:problem:`.
    public var kind: Kind
    /// A sentence for people.
    public var title: String
    /// The campaign's id, if there is one.
    public var campaign: String?
    /// The problems.
    public var errors: [Problem]
    /// Input that is accepted, but is perhaps not what the author meant.
    public var warnings: [Problem]

    /// The kinds of problems; stable.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job breaks the contract.
        case invalidJob = "invalid-job"
        /// Another job has the same id.
        case campaignConflict = "campaign-conflict"
        /// The audience file cannot be used.
        case invalidAudience = "invalid-audience"
        /// The content cannot be stored.
        case invalidContent = "invalid-content"
        /// There is no such campaign, list or parked message.
        case notFound = "not-found"
        /// The id belongs to campaigns of two apps.
        case ambiguousCampaign = "ambiguous-campaign"
        /// The command was used incorrectly.
        case usage
        /// The broker or the ledger cannot be reached.
        case unavailable
        /// The time given with `--wait` has elapsed.
        case timeout
        /// The request is not allowed.
        case forbidden
        /// The configuration is wrong.
        case configuration
        /// The campaign failed.
        case failed
        /// The state of the campaign does not permit the operation.
        case wrongState = "wrong-state"
        /// The access token is missing or unknown.
        case unauthorized
        /// The path does not take this method.
        case methodNotAllowed = "method-not-allowed"
        /// The body exceeds the size limit.
        case tooLarge = "too-large"
        /// The body's media type is not supported.
        case mediaType = "media-type"
        /// More requests than are allowed.
        case tooManyRequests = "too-many-requests"

        /// The corresponding HTTP status.
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

    /// Creates a problem document.
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

    /// Creates the answer to a job that the decoder refused.
    public init(refused decoding: JobDecoding) {
        self.init(
            .invalidJob,
            title: "The job cannot be sent",
            campaign: decoding.id,
            errors: decoding.problems,
            warnings: decoding.warnings
        )
    }

    /// The document in the contract's form; `errors` and `warnings` are always present.
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

    /// The document for people: the title, then a line per problem with pointer, detail and fix.
    public var text: String {
        var lines = [title + (campaign.map { " (\($0))" } ?? "") + (errors.isEmpty ? "" : ":")]
        lines += errors.map { "  " + $0.text }
        lines += warnings.map { "  warning: " + $0.text }
        return lines.joined(separator: "\n")
    }
}

extension Problem {
    /// The members `pointer`, `code`, `detail`, and `fix` if there is one.
    public var json: JSONValue {
        .object([
            "pointer": .string(pointer),
            "code": .string(code),
            "detail": .string(detail),
            "mend": fix.map(JSONValue.string),
        ])
    }

    /// Reads the output of ``json``; nil if a member is missing or has the wrong type.
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
