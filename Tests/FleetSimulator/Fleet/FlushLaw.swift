/// The bound on what a worker's death repeats: no stream is opened while so many answers are not in the ledger.
///
/// Besides them only the streams that were open then can be repeated.
struct FlushLaw {
    /// A device of a campaign.
    private struct Key: Hashable {
        var campaign: Int
        var device: Int
    }

    /// The reports and the claim that the ledger had of a device when its answer came.
    private struct Answer {
        var reports: Int
        var epoch: Int
        /// The instant at which it came.
        var at: Int64
    }

    /// The setting `worker.unflushed` of the simulated fleet.
    static let answersMax = 16
    /// The answers that a worker got and that the ledger does not have, by the worker's host.
    private var unflushed: [Int: [Key: Answer]] = [:]

    /// Notes that an answer reached its worker.
    mutating func arrived(
        _ push: ObservedPush,
        campaign: Int,
        _ device: CampaignAccount.Device,
        at now: Int64
    ) {
        let key = Key(campaign: campaign, device: push.device)
        unflushed[push.worker.number, default: [:]][key] = Answer(
            reports: device.reports,
            epoch: device.epoch,
            at: now
        )
    }

    /// Forgets the answers that the ledger has now, and those of runs that lost their claim, which it never takes.
    mutating func seen(_ account: CampaignAccount, campaign: Int, firstDevice: Int) {
        for worker in unflushed.keys {
            unflushed[worker] = unflushed[worker]?.filter { key, answer in
                guard key.campaign == campaign else { return true }
                let device = account.devices[key.device - firstDevice]
                return !account.campaign.isOver && device.outcome == 0 && device.reports <= answer.reports
                    && device.epoch == answer.epoch
            }
        }
    }

    /// Returns the number of a worker's answers that the ledger does not have and that came before an instant.
    ///
    /// Of several answers in one read the first may open a stream, which is written after the last.
    func count(of worker: SimulatedHost, before instant: Int64) -> Int {
        (unflushed[worker.number] ?? [:]).count { $1.at < instant }
    }
}
