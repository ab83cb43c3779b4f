import Campaigns
import Delivery
import Store

/// The laws of a fleet: what its ledger says against what the provider saw.
///
/// Safety: used by the process's only thread.
final class FleetLaws: @unchecked Sendable {
    private let observer: Observer
    private let plan: Plan
    /// The pushes that the provider processed, and its answers that a push was accepted, by device.
    private var pushes: [Int: Int] = [:]
    private var accepted: [Int: Int] = [:]
    /// True if nothing of the plan excuses a repeated push.
    private let forbidsRepeats: Bool

    init(_ observer: Observer, _ plan: Plan) {
        self.observer = observer
        self.plan = plan
        forbidsRepeats = !plan.faults.contains(where: \.mayRepeat)
    }

    /// Notes a push that the provider processed.
    func pushed(_ device: Int) {
        pushes[device, default: 0] += 1
        let again = forbidsRepeats && accepted[device] != nil
        observer.broke("device \(device) is pushed again, and no worker or answer was lost", if: again)
    }

    /// Notes an answer of the provider.
    func answered(_ device: Int, status: Int) { if status == 200 { accepted[device, default: 0] += 1 } }

    /// Asks for the law of the accounts, and at the end for the provider's word on each outcome.
    func seen(_ status: CampaignStatus, devices: Int) {
        let counts = status.counts
        observer.trace.note(
            "observer",
            "\(status.id) is \(status.stage): \(counts.accepted) accepted, \(counts.invalid) invalid, "
                + "\(counts.failed) failed, \(status.pending.total) pending"
        )
        if case .violated(let what) = status.law { observer.broke("\(status.id): \(what)") }
        guard status.stage == .completed else { return }
        observer.broke("\(status.id) has \(counts.total) outcomes of \(devices)", if: counts.total != devices)
        guard let number = status.id.split(separator: "-").last.flatMap({ Int($0) }) else { return }
        let own = number * devices..<(number + 1) * devices
        let told = own.count { accepted[$0] != nil }
        observer.broke(
            "\(status.id) says that \(counts.accepted) are accepted, and the provider accepted \(told)",
            if: counts.accepted > told
        )
        let dead = own.count { $0 % 11 == 0 }
        observer.broke("\(status.id) has \(counts.invalid) dead tokens of \(dead)", if: counts.invalid > dead)
    }

    /// The counts of the run.
    var summary: String {
        let all = pushes.values.reduce(0, +)
        return "\(all) pushes, \(all - pushes.count) repeats"
    }
}
