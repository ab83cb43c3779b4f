public import Campaigns

/// A push service as the program sees it: the bytes of a request and the meaning of an answer.
///
/// A provider is one folder here and one line in `ProviderRegistry`; no other code tells providers apart. It does no
/// I/O, reads no clock and signs nothing: callers pass the time, and it asks for signatures (`ProviderTokenRule`).
/// Providers are stateless values and may be used from any thread.
public protocol PushProvider: Sendable {
    /// The name in jobs, lanes, queues and `apps.yaml`.
    var name: ProviderName { get }
    /// The form of its tokens.
    var tokens: any TokenForm { get }
    /// The provider's limits, with their sources.
    var limits: ProviderLimits { get }

    /// Returns everything that is wrong with a job regardless of the app's settings: push-type rules, header values,
    /// payload size.
    ///
    /// Pointers are those of the job (contract, section 1). All problems come at once. `carriesMessageID` is as for
    /// `compile(_:carriesMessageID:)`; it makes the payload larger.
    func check(_ job: Job, carriesMessageID: Bool) -> JobCheck

    /// Compiles the part of a request that all devices of a job share; the same job gives the same bytes.
    ///
    /// Accepts any job: one that `check` refuses compiles to a push that the provider will refuse. `carriesMessageID`
    /// tells whether the app's pushes carry the `fanfare` object (contract, section 5).
    func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush

    /// True if the provider can judge a push without delivering it; its accounts then have `validation`.
    var canValidate: Bool { get }

    /// The first rung of the provider's ladder: the shortest wait before a device is sent to again.
    var firstRung: Rung { get }

    /// Returns the id that requests to a device carry, by which the provider's own tools find them; nil for none.
    func requestID(campaign: CampaignHash, device: UInt32) -> String?

    /// Returns the meaning of an answer. Never traps, whatever the bytes; an empty span stands for an absent field.
    ///
    /// A `Retry-After` with a date is counted from `now`.
    func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer

    /// Returns the rule for a class of answers: device, connection, credential, breaker.
    func rule(for answer: AnswerClass) -> AnswerRule

    /// Reads an app's block of `apps.yaml` (scalars as text, by key).
    ///
    /// Throws all problems at once; pointers are relative to the block, for example `/key_id`. `file` returns the
    /// content of a file that a setting names, or nil when it cannot be read; the reader of the block reports that.
    func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount
}

extension PushProvider {
    /// False: the provider delivers everything that it accepts.
    public var canValidate: Bool { false }
}

/// An app's account with a provider: topic, environment, endpoint, credential.
///
/// Created once from the configuration. Immutable, for any thread. Called once per shard, never per device.
public protocol ProviderAccount: Sendable {
    /// The provider.
    var provider: any PushProvider { get }
    /// The app's credential; the driver loads its files.
    var credential: AccountCredential { get }
    /// The file with the root certificates of a private gateway; nil for the system's.
    var caFile: String? { get }
    /// True if connections may only go to public Internet addresses, because registered devices name the host.
    var reachesGlobalAddressesOnly: Bool { get }
    /// True if registered devices name their push service: then there are any number of services, and each is judged by
    /// itself.
    var isServedByStrangers: Bool { get }

    /// The accounts with other providers that the same settings make.
    var companions: [any ProviderAccount] { get }

    /// The management of the app's broadcast channels; nil when the provider has none.
    var channels: ChannelService? { get }

    /// The requests per minute that the provider accepts from all apps of the same holder; nil for no limit.
    var quota: ProviderQuota? { get }

    /// The account's settings for people and scripts, without secrets; the names are keys of the provider's block.
    var summary: [(name: String, value: String)] { get }

    /// Returns the endpoint for an environment; nil is the app's own environment.
    func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint

    /// Returns the job, completed by the app's settings where the job has no value.
    func completed(_ job: Job) -> Job

    /// Returns everything that is wrong with a job for this app's settings, besides the findings of
    /// `PushProvider.check`.
    func check(_ job: Job) -> JobCheck

    /// Prepares the part of a shard's requests that all devices share.
    ///
    /// `authorization` is the header's value from the holder of the credential, nil with a certificate. The remaining
    /// time is counted from `now`.
    func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests

    /// Prepares the same requests so that the provider judges them but delivers nothing; nil when it has no such
    /// requests.
    ///
    /// Parameters are as for `requests(for:authorization:now:)`. The result is not nil exactly when
    /// `PushProvider.canValidate`.
    func validation(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests?
}

extension ProviderAccount {
    /// False: the operator chooses the hosts.
    public var reachesGlobalAddressesOnly: Bool { false }

    /// False: there is one provider, and its answers apply to all devices.
    public var isServedByStrangers: Bool { false }

    /// None.
    public var companions: [any ProviderAccount] { [] }

    /// Nil: no channels.
    public var channels: ChannelService? { nil }

    /// Nil: no limit.
    public var quota: ProviderQuota? { nil }

    /// Returns the job unchanged.
    public func completed(_ job: Job) -> Job { job }

    /// Nil: the provider delivers everything that it accepts.
    public func validation(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests? { nil }
}

/// The findings of a check of a job.
public struct JobCheck: Equatable, Sendable {
    /// The reasons why the job cannot be sent.
    public var problems: [Problem]
    /// The reasons why the job can be sent but probably not with the effect that its producer wants.
    public var warnings: [Problem]

    /// Creates a result; by default without findings.
    public init(problems: [Problem] = [], warnings: [Problem] = []) {
        self.problems = problems
        self.warnings = warnings
    }
}

/// The limits of a provider.
public struct ProviderLimits: Equatable, Sendable {
    /// The longest collapse id, in bytes.
    public var collapseIDBytesMax: Int
    /// The longest time for which the provider stores a push for a device that is off.
    public var storage: Duration
    /// The time after which a request without an answer is abandoned (design, section 7).
    public var streamDeadline: Duration
}

/// The refusal of an app's settings.
public struct SettingsRefused: Error, Equatable, CustomStringConvertible {
    /// All problems; pointers are relative to the provider's block.
    public let problems: [Problem]

    /// Creates a refusal; there is at least one problem.
    public init(problems: [Problem]) {
        precondition(!problems.isEmpty, "settings are refused for a reason")
        self.problems = problems
    }

    /// All problems, one per line, without secrets.
    public var description: String {
        problems.map { "\($0.pointer): \($0.detail)" + ($0.fix.map { "; \($0)" } ?? "") }.joined(separator: "\n")
    }
}
