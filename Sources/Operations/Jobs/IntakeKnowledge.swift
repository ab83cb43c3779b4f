package import Campaigns
package import Delivery
package import Store

extension LedgerReader {
    /// Returns the ledger's facts about a job; the caller knows if a worker has its app.
    package func knowledge(of job: Job, isAppKnown: Bool, store: String) throws(LedgerError) -> IntakeDecision.Knowledge
    {
        var knowledge = IntakeDecision.Knowledge(
            holder: try holder(app: job.app, id: job.id),
            isAppKnown: isAppKnown,
            isAudienceKnown: true,
            deviceCount: 0,
            store: store
        )
        switch job.audience {
        case .devices(let devices):
            knowledge.deviceCount = devices.count
            knowledge.providers = Set(devices.map(\.provider)).sorted { $0.rawValue < $1.rawValue }
        case .channel(let name):
            knowledge.channel = try channel(app: job.app, name: name)
            knowledge.isAudienceKnown = knowledge.channel != nil
            knowledge.deviceCount = 1
            knowledge.providers = [.broadcast]
        case .list where job.upload != nil:
            // Its devices are not known before it is complete.
            let known = try job.upload.flatMap { id throws(LedgerError) in try self.upload(id, app: job.app) }
            knowledge.isUploadKnown = known.map { $0.standing != .gone } ?? false
            knowledge.uploadName = known?.name
        case .list(let name, let version):
            let list = try list(app: job.app, name: name, version: version)
            knowledge.isAudienceKnown = list != nil
            knowledge.deviceCount = list?.devices ?? 0
            knowledge.providers = try list.map { list throws(LedgerError) in try providers(list: list.number) } ?? []
        case .users, .segment, .everyone, .activity: knowledge.deviceCount = try hasDevices(app: job.app) ? 1 : 0
        }
        if case .list(let name, let version) = job.exclude {
            knowledge.isExcludeKnown = try list(app: job.app, name: name, version: version) != nil
        }
        for (pointer, selector) in [("/audience/segment", job.audience), ("/audience/exclude/segment", job.exclude)] {
            guard case .segment(let segment) = selector else { continue }
            for question in segment.questions where try campaignNumber(app: job.app, id: question.campaign) == nil {
                knowledge.unknownCampaigns.append(UnknownCampaign(pointer: pointer, id: question.campaign))
            }
        }
        if let rich = job.content.rich {
            knowledge.isContentKnown = try contentHead(app: job.app, id: rich.id) != nil
        }
        if job.kind.hasStoredContent {
            knowledge.isContentTaken = try contentHead(app: job.app, id: job.id).map { !$0.isOfCampaign } ?? false
        }
        if !job.sendsPushes {
            // No provider is involved, and devices that register later belong to the audience, too.
            knowledge.providers = []
            if job.audience.isOfRegistry { knowledge.deviceCount = 1 }
        }
        return knowledge
    }
}
