public import Campaigns

/// A reason why a campaign is in its state: a stable code, and the words for people, which stand nowhere else.
///
/// Pure: `all(of:)` decides from facts.
public enum StateReason: Sendable, Equatable {
    /// The whole campaign is paused.
    case paused(Set<AsideReason>)
    /// One provider's devices are paused.
    case providerPaused(ProviderName, Set<AsideReason>)
    /// All pending devices are parked.
    case parked
    /// No worker has the app's credentials, for any provider or for this one.
    case noCredentials(app: String, ProviderName?)
    /// A part of the fleet does not do its work: broker, queues, ledger.
    case fleet(HealthProblem)
    /// Its audience is an upload that is under way.
    case upload(String)
    /// An older campaign that it supersedes still has open requests.
    case olderCampaign
    /// All parts wait for their release.
    case localTime(Timestamp)
    /// All parts are in quiet hours.
    case quietHours(Timestamp)
    /// The devices wait for their turn, under the campaign's own rate or another.
    case rate(perSecond: Int?)
    /// Devices wait for another try.
    case retry(RetryWait)
    /// Devices are set aside, each shard for its own reason.
    case held(AsideReason, Int)
    /// Devices are in no shard yet.
    case unplanned(Int)
    /// Devices are in queues.
    case queued(Int)
    /// Requests have no answer yet.
    case unanswered(Int)
    /// Some of the pending devices are parked.
    case parkedDevices(Int)
    /// It was held until its end.
    case neverFired
    /// Nothing more could be sent.
    case failed(String)
    /// An operator cancelled it.
    case cancelled(by: String)
    /// A newer campaign took its place.
    case superseded(by: String?, devices: Int)
    /// Its end came before all was sent.
    case expired(devices: Int, at: Timestamp, retried: [String: Int], pausedBy: [String])

    /// The codes that are a campaign's own: the others are those of pauses (`AsideReason`) and of the fleet
    /// (`HealthProblem.Code`).
    public enum Code: String, Sendable, CaseIterable {
        /// Devices are parked.
        case parked
        /// No worker has the app's credentials.
        case noCredentials = "no_credentials"
        /// Its audience is an upload that is under way.
        case upload
        /// An older campaign that it supersedes still has open requests.
        case olderCampaign = "older_campaign"
        /// All parts wait for their release.
        case localTime = "local_time"
        /// All parts are in quiet hours.
        case quietHours = "quiet_hours"
        /// Devices wait for their turn under a rate.
        case rate
        /// Devices wait for another try because the provider wants fewer requests.
        case throttled
        /// Devices wait for another try.
        case retry
        /// Devices are in no shard yet.
        case unplanned
        /// Devices are in queues.
        case queued
        /// Requests have no answer yet.
        case unanswered
        /// It was held until its end.
        case neverFired = "never_fired"
        /// Nothing more could be sent.
        case failed
        /// An operator cancelled it.
        case cancelled
        /// A newer campaign took its place.
        case superseded
        /// Its end came before all was sent.
        case expired
    }

    /// The codes, for programs; codes are only added.
    public var codes: [String] {
        switch self {
        case .paused(let reasons), .providerPaused(_, let reasons): reasons.map(\.rawValue).sorted()
        case .held(let reason, _): [reason.rawValue]
        case .fleet(let problem): [problem.code.rawValue]
        default: own.map { [$0.rawValue] } ?? []
        }
    }

    /// The code that is a campaign's own; nil for a pause and for a problem of the fleet.
    private var own: Code? {
        switch self {
        case .paused, .providerPaused, .held, .fleet: nil
        case .parked, .parkedDevices: .parked
        case .noCredentials: .noCredentials
        case .upload: .upload
        case .olderCampaign: .olderCampaign
        case .localTime: .localTime
        case .quietHours: .quietHours
        case .rate: .rate
        case .retry(let wait): wait.isThrottled ? .throttled : .retry
        case .unplanned: .unplanned
        case .queued: .queued
        case .unanswered: .unanswered
        case .neverFired: .neverFired
        case .failed: .failed
        case .cancelled: .cancelled
        case .superseded: .superseded
        case .expired: .expired
        }
    }

    /// The reason for people; it names the remedy where a person is needed.
    public var text: String {
        switch self {
        case .paused(let reasons): reasons.map(\.rawValue).sorted().joined(separator: ", ")
        case .providerPaused(let provider, let reasons):
            "\(provider.rawValue) waits: \(reasons.map(\.rawValue).sorted().joined(separator: ", "))"
        case .parked: "parked"
        case .noCredentials(let app, let provider):
            "no worker has credentials for \(app)" + (provider.map { " (\($0.rawValue))" } ?? "")
        case .fleet(let problem): problem.text
        case .upload(let id): "it waits for the upload \(id) to be complete"
        case .olderCampaign: "it waits for the last requests of the campaign that it supersedes"
        case .localTime(let instant): "no time zone is due before \(instant.rfc3339)"
        case .quietHours(let instant): "quiet hours until \(instant.rfc3339)"
        case .rate(let perSecond?): "it sends at its own rate of \(NumberText.grouped(perSecond)) a second"
        case .rate(nil): "it waits for its turn under the rate of its app or the provider's quota"
        case .retry(let wait): Self.words(wait)
        case .held(let reason, let devices): "\(Self.devices(devices, "waits", "wait")): \(reason.rawValue)"
        case .unplanned(let devices): "\(Self.devices(devices, "is", "are")) not planned yet"
        case .queued(let devices): "\(Self.devices(devices, "waits", "wait")) in queues"
        case .unanswered(let devices):
            "\(NumberText.counted(devices, "request waits", "requests wait")) for the provider's answer"
        case .parkedDevices(let devices):
            "\(Self.devices(devices, "is", "are")) parked: see fanfare parked list"
        case .neverFired: "it was never fired"
        case .failed(let why): why
        case .cancelled(let name): "by \(name)"
        case .superseded(let id, let devices):
            "\(Self.devices(devices, "was", "were")) superseded" + (id.map { " by \($0)" } ?? "")
        case .expired(let devices, let end, let retried, let pausedBy):
            Self.expired(devices, end, retried, pausedBy)
        }
    }

    // MARK: - Words

    private static func devices(_ count: Int, _ one: String, _ several: String) -> String {
        NumberText.counted(count, "device \(one)", "devices \(several)")
    }

    private static func words(_ wait: RetryWait) -> String {
        let until: String =
            switch (wait.from, wait.until) {
            case (let from?, let until?) where from < until: " between \(from.rfc3339) and \(until.rfc3339)"
            case (let from?, _): " at \(from.rfc3339)"
            case (nil, _): ""
            }
        let after = wait.names.map { " after \($0)" } ?? ""
        return devices(wait.devices, "is", "are") + " tried again\(until)\(after)"
    }

    /// Devices expire at the end, or earlier when they could only be tried again after it.
    private static func expired(
        _ devices: Int,
        _ end: Timestamp,
        _ retried: [String: Int],
        _ pausedBy: [String]
    ) -> String {
        var wait = RetryWait()
        wait.add(min(devices, retried.values.reduce(0, +)), reasons: retried, due: nil)
        let untried = devices - wait.devices
        let again = wait.names.map { " after \($0)" } ?? ""
        let held = pausedBy.isEmpty ? "" : " (\(pausedBy.joined(separator: ", ")))"
        let what: String =
            switch (wait.devices, untried) {
            case (0, _): "their first try\(held)"
            case (_, 0): "another try\(again)"
            case (let some, let others):
                "another try of \(NumberText.grouped(some))\(again), and before the first of "
                    + NumberText.grouped(others) + held
            }
        return
            "\(NumberText.counted(devices, "device", "devices")) expired: the end at \(end.rfc3339) came before \(what)"
    }
}
