import Campaigns
import Delivery
import Store

/// The laws of a fleet: what its ledger says, commit by commit, against what the push service saw.
///
/// Safety: used by the process's only thread.
final class FleetLaws: @unchecked Sendable {
    private let observer: Observer
    private let plan: Plan
    private let scheduler: Scheduler
    private var books: [CampaignBook]
    private var flushes = FlushLaw()
    /// The campaigns whose job was refused.
    private var refused: Set<Int> = []
    /// The instant of the first fault that excuses a repeated push.
    private let firstExcuse: Int64?
    private let hasClockFaults: Bool
    /// The instant of the first jump of a clock.
    private let firstJump: Int64?
    /// The time that a worker may take to stop opening requests of a campaign that was stopped, in nanoseconds.
    private let late: Int64

    /// The time between two polls of the ledger, and a little more for its turn.
    private static let pollTime: Int64 = 600_000_000
    /// The time for which a worker without the ledger goes on, by a clock that may be a tenth slow, and a poll.
    private static let knowledgeTime: Int64 = 11_500_000_000
    /// The time between the reading of a clock and the requests that it lets out.
    private static let tickTime: Int64 = 1_000_000

    init(_ observer: Observer, _ plan: Plan, _ scheduler: Scheduler) {
        self.observer = observer
        self.plan = plan
        self.scheduler = scheduler
        firstJump = plan.faults.first(where: \.isClockJump).map { Int64($0.at) * 1_000_000 }
        books = (0..<plan.campaigns).map { [firstJump] in
            CampaignBook(FleetCampaign($0, of: plan), firstJump: firstJump)
        }
        firstExcuse = plan.faults.first(where: \.mayRepeat).map { Int64($0.at) * 1_000_000 }
        hasClockFaults = plan.faults.contains(where: \.changesClock)
        // A worker that is frozen ends the turn that stood still when it wakes up.
        let frozen = plan.faults.compactMap(\.freezeTime).max().map { Int64($0) * 1_000_000 + Self.pollTime }
        late = plan.faults.isEmpty ? Self.pollTime : max(Self.knowledgeTime, frozen ?? 0)
    }

    /// The campaigns of the run.
    var campaigns: [FleetCampaign] { books.map(\.campaign).filter { !plan.leftOut.contains($0.number) } }

    /// The campaigns that are not over, and were not refused because they came after their end.
    var unended: [FleetCampaign] {
        campaigns.filter { !books[$0.number].isOver && !refused.contains($0.number) }
    }

    /// The campaigns that are over.
    var ended: [FleetCampaign] { campaigns.filter { books[$0.number].isOver } }

    /// True if a request was sent for the campaign.
    func wasSent(_ campaign: FleetCampaign) -> Bool { !books[campaign.number].openings.isEmpty }

    private func broke(_ book: CampaignBook, _ law: @autoclosure () -> String, if isBroken: Bool = true) {
        observer.broke("\(book.campaign.id) \(law())", if: isBroken)
    }

    // MARK: - The push service

    /// Notes that a worker has opened a stream, whose request nobody knows yet.
    func streamOpened(by worker: SimulatedHost) {
        let unflushed = flushes.count(of: worker, before: scheduler.now)
        observer.broke(
            "\(worker.name) opens a stream, and \(unflushed) answers are not in the ledger",
            if: unflushed >= FlushLaw.answersMax
        )
    }

    /// Notes a push that the service processed.
    func pushed(_ push: ObservedPush) {
        guard let number = push.campaign, books.indices.contains(number),
            books[number].campaign.devices.contains(push.device)
        else { return observer.broke("\(push.id) is for nobody") }
        let (book, device) = (books[number], push.device)
        let again = scheduler.now < firstExcuse ?? .max && book.accepted.contains(device)
        broke(book, "pushes to device \(device) again, and no worker or answer was lost", if: again)
        if let law = book.lawBroken(by: device, at: push.openedAt, late: late) {
            broke(book, "sends to device \(device) \(law)")
        }
        books[number].opened(device, at: push.openedAt)
        askForEnd(books[number], push.openedAt)
        askForRate(books[number], push.openedAt)
        askForOrder(number)
    }

    /// Asks for the end: no request is opened once the campaign has expired.
    private func askForEnd(_ book: CampaignBook, _ opened: Int64) {
        guard !hasClockFaults, let row = book.account?.campaign else { return }
        let end = Int64(row.expiresAt) * 1_000_000 - FleetWorld.epoch
        broke(book, "sends \((opened - end) / 1_000) µs after its end", if: opened > end + Self.tickTime)
    }

    /// Asks for the rate: never above 105 % in any second.
    private func askForRate(_ book: CampaignBook, _ opened: Int64) {
        guard !hasClockFaults, let rate = book.campaign.perSecond else { return }
        let most = book.rate(around: opened)
        broke(book, "sends \(most) in a second at a rate of \(rate)", if: most * 100 > rate * 105)
    }

    /// Asks for the order of supersession: no request of the older campaign after the first of the newer one.
    private func askForOrder(_ number: Int) {
        let older = number / 2 * 2
        guard books[older].campaign.kind == .older, books.count > older + 1,
            let last = books[older].openings.last, let first = books[older + 1].openings.first
        else { return }
        broke(books[older], "sends \((last - first) / 1_000) µs after the campaign that replaced it", if: last > first)
    }

    /// Notes an answer of the service as it leaves, and as it reaches its worker.
    func answered(_ push: ObservedPush, status: Int) {
        guard let number = push.campaign, books.indices.contains(number) else { return }
        books[number].answered(push.device, status: status)
    }

    func answerArrived(_ push: ObservedPush, status: Int) {
        guard status == 200 || status == 410, let number = push.campaign, books.indices.contains(number),
            let devices = books[number].account?.devices
        else { return }
        let device = devices[push.device - books[number].campaign.devices.lowerBound]
        guard device.outcome == 0 else { return }
        flushes.arrived(push, campaign: number, device, at: scheduler.now)
    }

    // MARK: - The ledger

    /// Notes that the ledger's disk has lost what was not synced.
    func powerLost() {
        for number in books.indices { books[number].powerLost() }
    }

    /// Takes the account of a campaign after a commit.
    func seen(_ account: CampaignAccount) {
        guard let number = FleetCampaign.number(of: account.campaign.id), books.indices.contains(number) else {
            return observer.broke("\(account.campaign.id) is in the ledger, and nobody published it")
        }
        if let wrong = books[number].take(account, at: scheduler.now) { broke(books[number], wrong) }
        flushes.seen(account, campaign: number, firstDevice: books[number].campaign.devices.lowerBound)
        guard account.campaign.isOver else { return }
        let outcomes = (0...7).map { outcome in account.devices.count { $0.outcome == outcome } }
        observer.trace.note("observer", "\(account.campaign.id) is over as \(account.campaign.stage): \(outcomes)")
        guard plan.faults.isEmpty else { return }
        let (told, dead) = (books[number].accepted.count, books[number].dead.count)
        broke(books[number], "has \(outcomes[1]) accepted, the push service \(told)", if: outcomes[1] != told)
        broke(books[number], "has \(outcomes[2]) invalid, the push service \(dead)", if: outcomes[2] != dead)
        broke(books[number], "gives up \(outcomes[3]) devices, and nothing was wrong", if: outcomes[3] > 0)
    }

    /// Notes that the ledger has a job's refusal.
    func wasRefused(_ id: String, _ why: String) {
        observer.trace.note("observer", "\(id) is refused: \(why)")
        guard let number = FleetCampaign.number(of: id), books.indices.contains(number) else { return }
        refused.insert(number)
        broke(books[number], "is refused: \(why)", if: !mayComeLate(number))
    }

    /// Notes that a message was parked: that of a job that comes after its end, and no other.
    func wasParked(_ id: String, _ why: String) {
        let number = FleetCampaign.number(of: id)
        if let number, books.indices.contains(number), mayComeLate(number) { return }
        observer.broke("\(id) is parked: \(why)")
    }

    /// True if a campaign's job may come after its end: that is near, or a clock has jumped.
    private func mayComeLate(_ number: Int) -> Bool {
        if case .expiring = books[number].campaign.kind { return true }
        return books[number].campaign.endsAfter != nil && firstJump ?? .max <= scheduler.now
    }

    /// Asks for the law of the accounts as `fanfare campaign status` has it.
    func shown(_ status: CampaignStatus) {
        if case .violated(let what) = status.law { observer.broke("\(status.id): \(what)") }
    }

    /// The counts of the run.
    var summary: String {
        let all = books.reduce(0) { $0 + $1.openings.count }
        let distinct = books.reduce(0) { $0 + $1.pushes.count }
        return "\(books.count) campaigns, \(all) pushes, \(all - distinct) repeats"
    }
}
