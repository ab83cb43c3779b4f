public import Campaigns

/// The action of intake for a job, from the results of the decoder and the ledger (contract, sections 1 and 2).
///
/// Pure: the driver looks up, decides, and writes the acceptance or the refusal in one transaction.
public enum IntakeDecision: Equatable, Sendable {
    /// Write the campaign; `fastPath`: on the fast path, with its shards already claimed, straight to this process's
    /// sender.
    case accept(fastPath: Bool)
    /// The job is a repeat: answer with the existing campaign; nil while no worker has judged the first one.
    case existing(campaign: UInt32?)
    /// The id belongs to another job: its campaign stays as it is, and `refused` is not written.
    case conflict(Problem)
    /// Tell the producer all problems; write `refused` if no campaign has the key.
    case refuse([Problem])

    /// The largest number of inline devices of an urgent job on the fast path (design, section 8).
    public static let fastPathDevicesMax = 1_000

    /// The ledger's entry under the job's key (app, id).
    public enum Holder: Equatable, Sendable {
        /// Nothing, or a refused job: it may be sent again under its id once it is fixed.
        case none
        /// A campaign with this identity hash (the normalized job without `created_at` and `metadata`).
        case campaign(number: UInt32, identity: [UInt8])
        /// A job with this hash, which a server has published and no worker has judged yet.
        case sent(identity: [UInt8])
    }

    /// The ledger's facts about the job.
    public struct Knowledge: Equatable, Sendable {
        /// The holder of the key.
        public var holder: Holder
        /// True if a live worker reports credentials for the app.
        public var isAppKnown: Bool
        /// True if the list, or the requested version of it, or the channel exists; true for inline devices.
        public var isAudienceKnown: Bool
        /// True if the upload that the job waits for is under way or complete, or if it waits for none.
        public var isUploadKnown = true
        /// The channel that is the audience; nil if there is none, or if the audience is no channel.
        public var channel: BroadcastChannel?
        /// The name of the list that the upload is of; nil while unknown.
        public var uploadName: String?
        /// True if the excluded list exists, or if none is excluded.
        public var isExcludeKnown = true
        /// The campaigns that its segments ask about and that do not exist, with the segment's pointer.
        public var unknownCampaigns: [UnknownCampaign] = []
        /// The number of devices in the audience, if known; for the registry 0 if the app has none at all.
        public var deviceCount: Int
        /// The store's own id, which tells the producer of a job with an unknown list which store was asked.
        public var store: String
        /// The providers of its devices, sorted by name; empty while unknown.
        public var providers: [ProviderName] = []
        /// True if the content that the job names is stored, or if it names none.
        public var isContentKnown = true
        /// True if an uploaded content has the id under which the campaign would bring its own.
        public var isContentTaken = false
        /// The subset of `providers` for which no live worker has credentials of the app.
        public var unserved: Set<ProviderName> = []

        /// The results of the lookup.
        public init(holder: Holder, isAppKnown: Bool, isAudienceKnown: Bool, deviceCount: Int, store: String) {
            self.holder = holder
            self.isAppKnown = isAppKnown
            self.isAudienceKnown = isAudienceKnown
            self.deviceCount = deviceCount
            self.store = store
        }
    }

    /// Decides about a decoded job; `problems` are those that only its compilation found.
    ///
    /// The key comes first: a repeat is answered with its campaign even if no worker knows the app any more, and a
    /// conflict is reported as such. Then all problems are reported at once.
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

    /// The decision for a job whose key is held, whatever is wrong with the job by now; nil if nothing holds it.
    ///
    /// This comes before any other check: an accepted job stays accepted, even if its time has passed or its app is
    /// gone.
    public static func known(job: Job, identity: [UInt8], holder: Holder) -> IntakeDecision? {
        let (held, campaign): ([UInt8], UInt32?)
        switch holder {
        case .none: return nil
        case .campaign(let number, let identity): (held, campaign) = (identity, number)
        case .sent(let identity): (held, campaign) = (identity, nil)
        }
        return held == identity
            ? .existing(campaign: campaign) : .conflict(.campaignConflict(app: job.app, id: job.id))
    }

    /// Returns true if one synced transaction can write the campaign with its shards already claimed.
    public static func takesFastPath(_ job: Job) -> Bool {
        guard job.delivery.policy.urgency == .urgent, job.delivery.perSecond == nil, !job.isFrozenFirst,
            !job.delivery.hold,
            job.delivery.sendAt == nil, job.delivery.repetition == nil, !job.isByTimeZone
        else { return false }
        switch job.audience {
        case .devices(let devices): return devices.count <= fastPathDevicesMax
        case .channel: return true
        case .list, .users, .segment, .everyone, .activity: return false
        }
    }

    /// Returns the problems of providers without credentials.
    ///
    /// In inline devices a provider without credentials is a mistake. A list has all kinds of devices, so those devices
    /// wait, unless there are no others.
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
        case .channel: return unserved.isEmpty ? [] : [.unservedChannel(app: job.app)]
        case .users, .segment, .everyone, .activity: return []
        }
    }

    /// The problems of an accepted job: list devices that wait because no live worker has credentials for their
    /// provider.
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
                        "\(job.app) has an uploaded content with this id, which the campaign's own content needs",
                    fix: "give the campaign another id, or remove the uploaded content: fanfare content rm"
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
                    detail: "\(job.app) has no campaign \(NameRule.shown(unknown.id)) that phones could report on",
                    fix: "see fanfare campaign list; otherwise every device would count as one that has not reacted"
                )
            }
        if job.audience.isOfRegistry, knowledge.deviceCount == 0 {
            return excluded + [.emptyRegistry(app: job.app, selector: job.audience.selector)]
        }
        if case .channel(let name) = job.audience, !knowledge.isAudienceKnown {
            return excluded + [.unknownChannel(name, app: job.app, store: "the store \(knowledge.store)")]
        }
        guard case .list(let name, let version) = job.audience else { return excluded }
        if let upload = job.upload {
            guard !knowledge.isUploadKnown || knowledge.uploadName != name else { return excluded }
            let other = knowledge.isUploadKnown ? knowledge.uploadName : nil
            return excluded + [.unknownUpload(upload, list: name, of: other, store: "the store \(knowledge.store)")]
        }
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

/// A campaign that a segment asks about and that does not exist.
public struct UnknownCampaign: Equatable, Sendable {
    /// The segment's JSON pointer in the job.
    public var pointer: String
    /// The campaign's id.
    public var id: String

    /// An unknown campaign.
    public init(pointer: String, id: String) {
        (self.pointer, self.id) = (pointer, id)
    }
}
