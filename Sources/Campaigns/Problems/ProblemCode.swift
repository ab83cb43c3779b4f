/// The stable codes of problems and warnings; programs may rely on them, while texts may change.
///
/// Codes are added, but never renamed or given another meaning.
public enum ProblemCode: String, Hashable, Sendable, CaseIterable {
    // The text
    /// Invalid JSON.
    case syntax
    /// Invalid UTF-8, or a byte order mark.
    case encoding
    /// A duplicate name in an object.
    case duplicateField = "duplicate_field"
    /// More than 16 levels of objects and arrays.
    case tooDeep = "too_deep"
    /// The job is larger than 4 MiB, or a device's variables than 4 KiB.
    case tooLarge = "too_large"

    // The message around it
    /// A content type other than JSON or structured CloudEvents.
    case contentType = "content_type"
    /// A message type other than `fanfare.campaign.v1`.
    case messageType = "message_type"

    // Fields
    /// A name that the contract does not have.
    case unknownField = "unknown_field"
    /// A required field is missing.
    case required
    /// A value of the wrong JSON type.
    case type
    /// A word that is not one of the field's values.
    case value
    /// A text in the wrong form.
    case format
    /// A number or instant outside its limits.
    case range
    /// A text that is too long.
    case length
    /// More entries than allowed.
    case tooMany = "too_many"
    /// An empty value where something is required.
    case empty
    /// Two values that exclude each other.
    case conflict
    /// A name that is reserved for the providers or for us.
    case reserved
    /// A template that does not compile; the detail has line and column.
    case template
    /// A template where none is allowed.
    case templateNotAllowed = "template_not_allowed"
    /// The campaign's end has passed.
    case expired
    /// The producer's clock is more than five minutes ahead.
    case tooFarAhead = "too_far_ahead"
    /// The end of the list, although there are more problems.
    case moreProblems = "more_problems"

    // Problems that only intake can find
    /// The id belongs to a campaign with another job.
    case campaignConflict = "campaign_conflict"
    /// No worker has credentials for the app.
    case unknownApp = "unknown_app"
    /// No live worker has credentials for the provider of a device.
    case unservedProvider = "unserved_provider"
    /// The ledger has no such list, or no such version of it.
    case unknownList = "unknown_list"
    /// The app has no such upload, or it was abandoned.
    case unknownUpload = "unknown_upload"
    /// The app has no channel of that name.
    case unknownChannel = "unknown_channel"
    /// A segment asks about a campaign that the app does not have.
    case unknownCampaign = "unknown_campaign"
    /// The ledger rejects the job permanently.
    case ledgerError = "ledger_error"
    /// The app has no stored content of that id.
    case unknownContent = "unknown_content"
    /// The rendered payload exceeds the provider's limit.
    case payloadTooLarge = "payload_too_large"

    // Problems that only the provider can find
    /// The provider, asked to validate a push, rejected it.
    case refusedByProvider = "refused_by_provider"

    // Warnings
    /// A device occurs more than once; it gets the push once.
    case duplicateDevice = "duplicate_device"
    /// The AMQP header `urgency` differs from the job.
    case urgencyHeader = "urgency_header"
    /// The end is later than any provider stores a push.
    case beyondStorage = "beyond_storage"
    /// Valid, but rarely what the author means.
    case unusual
    /// A template uses a variable that no device has.
    case unknownVariable = "unknown_variable"
    /// The payload may exceed the provider's limit for some devices.
    case maybeTooLarge = "maybe_too_large"
    /// The rate cannot reach the audience before the end.
    case tooSlow = "too_slow"
    /// The badge is relative, and the registry has no device of the app to keep a count for.
    case noBadgeCount = "no_badge_count"
}

extension Problem {
    /// Creates a problem with a stable code.
    public init(pointer: String, code: ProblemCode, detail: String, fix: String? = nil) {
        self.init(pointer: pointer, code: code.rawValue, detail: detail, fix: fix)
    }
}
