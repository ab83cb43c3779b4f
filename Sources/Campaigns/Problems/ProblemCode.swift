/// The stable codes of problems and warnings; programs may rely on them, texts may change.
///
/// A code is added, never renamed and never given another meaning.
public enum ProblemCode: String, Hashable, Sendable, CaseIterable {
    // The text
    /// Not JSON.
    case syntax
    /// Not UTF-8, or with a byte order mark.
    case encoding
    /// The same name twice in one object.
    case duplicateField = "duplicate_field"
    /// Deeper than 16 objects and arrays.
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
    /// A field that must be there.
    case required
    /// A value of another JSON type.
    case type
    /// A word that is not one of those the field takes.
    case value
    /// A text in another form than the field's.
    case format
    /// A number or instant outside its limits.
    case range
    /// A text that is too long.
    case length
    /// More entries than allowed.
    case tooMany = "too_many"
    /// Nothing where something must be.
    case empty
    /// Two values that exclude each other.
    case conflict
    /// A name that is kept for the providers or for us.
    case reserved
    /// A template that does not compile; the detail has line and column.
    case template
    /// A template where none is allowed.
    case templateNotAllowed = "template_not_allowed"
    /// Part of the contract, but not built yet.
    case notInThisVersion = "not_in_this_version"
    /// The campaign's end has passed.
    case expired
    /// The producer's clock is more than five minutes ahead.
    case tooFarAhead = "too_far_ahead"
    /// The list of problems ends here, but there are more.
    case moreProblems = "more_problems"

    // What only intake can know
    /// The id belongs to a campaign with another job.
    case campaignConflict = "campaign_conflict"
    /// No worker has credentials for the app.
    case unknownApp = "unknown_app"
    /// No live worker has credentials for the provider of a device.
    case unservedProvider = "unserved_provider"
    /// The ledger has no such list, or no such version of it.
    case unknownList = "unknown_list"
    /// A segment asks about a campaign that the app does not have.
    case unknownCampaign = "unknown_campaign"
    /// The ledger does not take it, however often it is asked.
    case ledgerError = "ledger_error"
    /// The app has no stored content of that id.
    case unknownContent = "unknown_content"
    /// The rendered payload is over the provider's limit.
    case payloadTooLarge = "payload_too_large"

    // What only the provider can know
    /// The provider was asked to judge a push, and would not take it.
    case refusedByProvider = "refused_by_provider"

    // Warnings
    /// The same device more than once; it is sent to once.
    case duplicateDevice = "duplicate_device"
    /// The AMQP header `urgency` does not say what the job says.
    case urgencyHeader = "urgency_header"
    /// The end is later than any provider keeps a push.
    case beyondStorage = "beyond_storage"
    /// Accepted, but seldom what the sender means.
    case unusual
    /// A template asks for a variable that no device has.
    case unknownVariable = "unknown_variable"
    /// The payload of some devices may be over the provider's limit.
    case maybeTooLarge = "maybe_too_large"
    /// The rate cannot reach the audience before the end.
    case tooSlow = "too_slow"
    /// The badge is counted, and the registry has no device of the app to count for.
    case noBadgeCount = "no_badge_count"
}

extension Problem {
    /// A problem with one of the stable codes.
    public init(pointer: String, code: ProblemCode, detail: String, fix: String? = nil) {
        self.init(pointer: pointer, code: code.rawValue, detail: detail, fix: fix)
    }
}
