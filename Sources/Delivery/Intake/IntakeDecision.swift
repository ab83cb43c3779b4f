public import Campaigns

/// What intake does with a job, from what the decoder and the ledger say (contract, sections 1 and 2).
///
/// Pure: whoever drives it looks up, decides, and writes the acceptance or the refusal in one transaction.
public enum IntakeDecision: Equatable, Sendable {
    /// Write the campaign; `fastPath`: with its shards already claimed, straight to this process's sender.
    case accept(fastPath: Bool)
    /// The same job again: answer with the campaign that exists.
    case existing(campaign: UInt32)
    /// The id belongs to another job; that campaign stays as it is, `refused` is not written.
    case conflict(Problem)
    /// Tell the producer all of it; write `refused` where no campaign has the key.
    case refuse([Problem])

    /// Inline devices of an urgent job that takes the short way at most (design, section 8).
    public static let fastPathDevicesMax = 1_000

    /// What the ledger has under the job's key (app, id).
    public enum Holder: Equatable, Sendable {
        /// Nothing, or a job that was refused: it may be sent again, mended, under its id.
        case none
        /// A campaign with this identity hash (the normalised job without `created_at` and `metadata`).
        case campaign(number: UInt32, identity: [UInt8])
    }

    /// What the ledger says about the job.
    public struct Knowledge: Equatable, Sendable {
        /// What has the key.
        public var holder: Holder
        /// Whether a live worker reports credentials for the app.
        public var isAppKnown: Bool
        /// Whether the list, or the version that was asked for, is there; true for inline devices.
        public var isAudienceKnown: Bool
        /// Whether the list that is left out, if one is, is there.
        public var isExcludeKnown = true
        /// Campaigns that its segments ask about and that are not there, with the segment's pointer.
        public var unknownCampaigns: [UnknownCampaign] = []
        /// Devices in the audience, where it is known; of the registry 0 when the app has none at all.
        public var deviceCount: Int
        /// The store's own id: a job that names a list which another store has is told which one was asked.
        public var store: String
        /// The providers of its devices, in order of their names; none while that is not known.
        public var providers: [ProviderName] = []
        /// Whether the content that the job names is stored; true when it names none.
        public var isContentKnown = true
        /// Whether an uploaded content has the id under which the campaign would bring its own.
        public var isContentTaken = false
        /// Those of them that no live worker has credentials of the app for.
        public var unserved: Set<ProviderName> = []

        /// What was looked up.
        public init(holder: Holder, isAppKnown: Bool, isAudienceKnown: Bool, deviceCount: Int, store: String) {
            self.holder = holder
            self.isAppKnown = isAppKnown
            self.isAudienceKnown = isAudienceKnown
            self.deviceCount = deviceCount
            self.store = store
        }
    }

    /// Decides about a job that could be decoded, with the problems that only its compilation found.
    ///
    /// The key comes first: a repeat is answered with its campaign even when no worker knows the app any more, and a
    /// conflict is told as such. Then all problems at once.
    public static func decide(
        job: Job,
        identity: [UInt8],
        knowledge: Knowledge,
        problems: [Problem] = []
    ) -> IntakeDecision {
        if let known = known(job: job, identity: identity, holder: knowledge.holder) { return known }
        var all = problems
        if knowledge.isAppKnown {
            all += providerProblems(job, knowledge)
        } else {
            all.append(.unknownApp(job.app))
        }
        all += audienceProblems(job, knowledge) + contentProblems(job, knowledge)
        guard all.isEmpty else { return .refuse(all) }
        return .accept(fastPath: takesFastPath(job))
    }

    /// What is said of a job whose key a campaign has, whatever is wrong with the job by now; nil when none has.
    ///
    /// Asked before anything is judged: what was accepted stays so, though its time has passed or its app has gone.
    public static func known(job: Job, identity: [UInt8], holder: Holder) -> IntakeDecision? {
        guard case .campaign(let number, let held) = holder else { return nil }
        return held == identity
            ? .existing(campaign: number) : .conflict(.campaignConflict(app: job.app, id: job.id))
    }

    /// Whether one synced transaction can write the campaign with its shards already claimed.
    public static func takesFastPath(_ job: Job) -> Bool {
        guard job.delivery.urgency == .urgent, job.delivery.perSecond == nil, !job.isFrozenFirst, !job.delivery.hold,
            job.delivery.sendAt == nil, job.delivery.repetition == nil, !job.isByTimeZone,
            case .devices(let devices) = job.audience
        else { return false }
        return devices.count <= fastPathDevicesMax
    }

    /// A device of the job that nobody can send to is a mistake; of a list, which has all kinds, such devices wait, unless
    /// there are no others.
    private static func providerProblems(_ job: Job, _ knowledge: Knowledge) -> [Problem] {
        let unserved = knowledge.unserved.sorted { $0.rawValue < $1.rawValue }
        switch job.audience {
        case .devices(let devices):
            return unserved.compactMap { provider in
                devices.firstIndex { $0.provider == provider }.map {
                    .unservedProvider(provider, app: job.app, pointer: "/audience/devices/\($0)/provider")
                }
            }
        case .list:
            guard !knowledge.providers.isEmpty, unserved.count == knowledge.providers.count else { return [] }
            return unserved.map { .unservedProvider($0, app: job.app, pointer: "/audience/list") }
        case .users, .segment, .everyone: return []
        }
    }

    /// What is accepted, but waits: devices of a list whose provider no live worker has credentials for.
    public static func warnings(_ job: Job, _ knowledge: Knowledge) -> [Problem] {
        guard case .list = job.audience, knowledge.unserved.count < knowledge.providers.count else { return [] }
        return knowledge.unserved.sorted { $0.rawValue < $1.rawValue }.map {
            .unservedProvider($0, app: job.app, pointer: "/audience/list", isWaiting: true)
        }
    }

    private static func contentProblems(_ job: Job, _ knowledge: Knowledge) -> [Problem] {
        if knowledge.isContentTaken {
            return [
                Problem(
                    pointer: "/id",
                    code: .conflict,
                    detail:
                        "\(job.app) has an uploaded content of this id, under which devices would fetch the campaign's",
                    fix: "give the campaign another id, or remove it: fanfare content rm"
                )
            ]
        }
        guard let rich = job.content.rich, !knowledge.isContentKnown else { return [] }
        return [
            Problem(
                pointer: "/content/rich/id",
                code: .unknownContent,
                detail: "\(job.app) has no content \(rich.id) in the store \(knowledge.store)",
                fix: "upload it first: fanfare content put \(rich.id) FILE --app \(job.app)"
            )
        ]
    }

    private static func excludeProblems(_ job: Job, _ knowledge: Knowledge) -> [Problem] {
        guard case .list(let name, let version) = job.exclude, !knowledge.isExcludeKnown else { return [] }
        var problem = Problem.unknownList(name: name, version: version, store: "the store \(knowledge.store)")
        problem.pointer = "/audience/exclude/list"
        return [problem]
    }

    private static func audienceProblems(_ job: Job, _ knowledge: Knowledge) -> [Problem] {
        let excluded =
            excludeProblems(job, knowledge)
            + knowledge.unknownCampaigns.map { unknown in
                Problem(
                    pointer: unknown.pointer,
                    code: .unknownCampaign,
                    detail: "\(job.app) has no campaign \(NameRule.shown(unknown.id)) that phones could tell of",
                    fix: "see fanfare campaign list; without it, everybody would be one who has not"
                )
            }
        if job.audience.isOfRegistry, knowledge.deviceCount == 0 {
            return excluded + [.emptyRegistry(app: job.app, selector: job.audience.selector)]
        }
        guard case .list(let name, let version) = job.audience else { return excluded }
        let wanted = version.map { "\(name)@\($0)" } ?? name
        if !knowledge.isAudienceKnown {
            return excluded + [.unknownList(name: name, version: version, store: "the store \(knowledge.store)")]
        }
        guard knowledge.deviceCount == 0 else { return excluded }
        return excluded + [
            Problem(
                pointer: "/audience/list",
                code: .empty,
                detail: "the list \(wanted) has no device",
                fix: "upload a version with devices"
            )
        ]
    }
}

/// A campaign that a segment asks about and that is not there.
public struct UnknownCampaign: Equatable, Sendable {
    /// The segment's JSON pointer in the job.
    public var pointer: String
    /// The campaign's id.
    public var id: String

    /// A campaign that is not there.
    public init(pointer: String, id: String) {
        (self.pointer, self.id) = (pointer, id)
    }
}
