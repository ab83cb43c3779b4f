public import Campaigns

/// A push service as this program sees it: what a request looks like as bytes and what an answer means.
///
/// A provider is one folder here and one line in `ProviderRegistry`; nobody else tells providers apart. It does no
/// I/O, reads no clock and signs nothing: time is handed in, signatures are asked for (`ProviderTokenRule`).
/// Providers are stateless values and may be used from any thread.
public protocol PushProvider: Sendable {
    /// The name in jobs, lanes, queues and `apps.yaml`.
    var name: ProviderName { get }
    /// How its tokens are written.
    var tokens: any TokenForm { get }
    /// What the provider bounds, with where the numbers come from.
    var limits: ProviderLimits { get }

    /// What is wrong with a job whatever the app's settings are: push-type rules, header values, payload size.
    ///
    /// Pointers are those of the job (contract, section 1). All problems at once. `carriesMessageID`: as for
    /// `compile(_:carriesMessageID:)`; it makes the payload larger.
    func check(_ job: Job, carriesMessageID: Bool) -> JobCheck

    /// The part of a request that is alike for all devices of a job; the same job gives the same bytes.
    ///
    /// Takes any job: one that `check` refuses compiles to a push that the provider will refuse. `carriesMessageID`:
    /// whether the app's pushes carry the `fanfare` object (contract, section 5).
    func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush

    /// Whether it can be asked to judge a push without delivering it: then its accounts have `validation`.
    var canValidate: Bool { get }

    /// Where its ladder begins: the shortest wait before a device is sent to again.
    var firstRung: Rung { get }

    /// The id that requests to a device carry, by which the provider's own tools find them; nil when they carry none.
    func requestID(campaign: CampaignHash, device: UInt32) -> String?

    /// What an answer means. Never traps, whatever the bytes are; an empty span stands for an absent field.
    ///
    /// `now` is what a `Retry-After` with a date is counted from.
    func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer

    /// What is to be done about a class of answers: device, connection, credential, breaker.
    func rule(for answer: AnswerClass) -> AnswerRule

    /// Reads an app's block of `apps.yaml` (scalars as text, by key).
    ///
    /// Throws all problems at once; pointers are relative to the block, for example `/key_id`. `file` hands out the
    /// content of a file that a setting names; nil when it cannot be read, which whoever reads the block reports.
    func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount
}

extension PushProvider {
    /// It delivers whatever it accepts.
    public var canValidate: Bool { false }
}

/// What an app has with a provider: topic, world, endpoint, credential.
///
/// Made once from the configuration.
///
/// Immutable, for any thread. Asked once per shard, never per device.
public protocol ProviderAccount: Sendable {
    /// The provider.
    var provider: any PushProvider { get }
    /// How the app proves who it is; the driver loads the files.
    var credential: AccountCredential { get }
    /// The file with the root certificates of a gateway of one's own; nil for the system's.
    var caFile: String? { get }
    /// Whether connections go to addresses of the public internet only, because whoever registers a device names the host.
    var reachesGlobalAddressesOnly: Bool { get }
    /// Whether whoever registers a device names the push service: then there are any number of them, and each stands for
    /// itself.
    var isServedByStrangers: Bool { get }

    /// What the provider takes a minute, of this app and all others that send for the same holder; nil: as much as comes.
    var quota: ProviderQuota? { get }

    /// What the app has, for people and scripts, without secrets; the names are words of the provider's block.
    var summary: [(name: String, value: String)] { get }

    /// Where requests go; nil is the app's own environment.
    func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint

    /// A job with what the app's settings say where the job says nothing.
    func completed(_ job: Job) -> Job

    /// What is wrong with a job for this app's settings, besides what `PushProvider.check` finds.
    func check(_ job: Job) -> JobCheck

    /// Everything of a shard's requests that is alike.
    ///
    /// `authorization` is the value of the header as the holder of the credential has it, nil with a certificate; `now`
    /// is what the time that is left is counted from.
    func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests

    /// The same requests, which the provider judges alike and delivers to nobody; nil when it has no such requests.
    ///
    /// Parameters as for `requests(for:authorization:now:)`. Not nil when and only when `PushProvider.canValidate`.
    func validation(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests?
}

extension ProviderAccount {
    /// The hosts are the operator's choice.
    public var reachesGlobalAddressesOnly: Bool { false }

    /// There is one provider, and what it says holds for all.
    public var isServedByStrangers: Bool { false }

    /// As much as comes.
    public var quota: ProviderQuota? { nil }

    /// Nothing to add.
    public func completed(_ job: Job) -> Job { job }

    /// The provider delivers whatever it accepts.
    public func validation(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests? { nil }
}

/// What a check of a job found.
public struct JobCheck: Equatable, Sendable {
    /// The job cannot be sent.
    public var problems: [Problem]
    /// The job can be sent, but probably not to the effect that its producer wants.
    public var warnings: [Problem]

    /// A result; nothing found by default.
    public init(problems: [Problem] = [], warnings: [Problem] = []) {
        self.problems = problems
        self.warnings = warnings
    }
}

/// What a provider bounds.
public struct ProviderLimits: Equatable, Sendable {
    /// Bytes of a collapse id at most.
    public var collapseIDBytesMax: Int
    /// How long the provider keeps a push for a device that is off at most.
    public var storage: Duration
    /// After this a request without an answer is given up (design, section 7).
    public var streamDeadline: Duration

    /// Limits.
    public init(collapseIDBytesMax: Int, storage: Duration, streamDeadline: Duration) {
        self.collapseIDBytesMax = collapseIDBytesMax
        self.storage = storage
        self.streamDeadline = streamDeadline
    }
}

/// Settings of an app that cannot be used.
public struct SettingsRefused: Error, Equatable, CustomStringConvertible {
    /// Everything that is wrong; pointers are relative to the provider's block.
    public let problems: [Problem]

    /// A refusal; there is at least one problem.
    public init(problems: [Problem]) {
        precondition(!problems.isEmpty, "settings are refused for a reason")
        self.problems = problems
    }

    /// All problems, a line each; no secret stands in any.
    public var description: String {
        problems.map { "\($0.pointer): \($0.detail)" + ($0.fix.map { "; \($0)" } ?? "") }.joined(separator: "\n")
    }
}
