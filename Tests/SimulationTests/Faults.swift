/// The faults of a simulated campaign as probabilities per step, publish or answer.
struct Faults: Sendable {
    /// The message is in the queue, but its confirm never comes.
    ///
    /// Per publish.
    var lostConfirm = 0.0
    /// Neither the message nor its confirm arrives.
    ///
    /// Per publish.
    var lostPublish = 0.0
    /// The broker delivers a second copy, as at-least-once dead-lettering may.
    ///
    /// Per message off a rung.
    var duplicate = 0.0
    /// A worker is killed.
    ///
    /// Per step.
    var crash = 0.0
    /// A worker loses its connection to the broker.
    ///
    /// Per step.
    var disconnect = 0.0
    /// A worker freezes, perhaps for so long that others consider it dead, and then goes on.
    ///
    /// Per step.
    var freeze = 0.0
    /// The upper bound of the time that passes with a step, in milliseconds.
    var stride = 30
    /// True if claims wait for the runs of live workers for as long as it takes: then no device is sent to twice.
    var isPatient = false
    /// A worker gets SIGTERM, and is restarted when it has drained.
    ///
    /// Per step.
    var terminate = 0.0
    /// An operator pauses or resumes the campaign.
    ///
    /// Per step.
    var pause = 0.0
    /// True if the campaign has devices of two providers; then the outages are the first one's.
    var isMixed = false
    /// An operator pauses or resumes the second of two providers.
    ///
    /// Per step.
    var pauseShare = 0.0
    /// An operator changes the campaign's end.
    ///
    /// Per step.
    var endChange = 0.0
    /// An operator cancels the campaign.
    ///
    /// Per step.
    var cancel = 0.0
    /// The provider has an outage for a while.
    ///
    /// Per step.
    var outage = 0.0
    /// A device's token is answered as suspect whenever it is tried.
    ///
    /// Per device.
    var suspect = 0.0
    /// A device's content drops it.
    ///
    /// Per device.
    var leftOut = 0.0
    /// True if tokens are suspect because of the wrong environment, which an operator fixes when the campaign is
    /// paused.
    var wrongEnvironment = false
    /// A device's content is refused.
    ///
    /// Per device.
    var refused = 0.0
    /// True if a person fixes the content when the campaign is paused for it.
    var isContentFixed = false
    /// True if the campaign takes the fast path.
    var isUrgent = false
    /// A device has an outcome before its shard is first sent: its token is dead, or it had enough pushes.
    ///
    /// Per device.
    var known = 0.0
    /// Quiet hours of some devices begin or end.
    ///
    /// Per step.
    var quiet = 0.0
    /// A newer campaign with the same collapse id is released.
    ///
    /// Per step.
    var supersede = 0.0
    /// A worker cannot read the ledger.
    ///
    /// Per poll of the ledger.
    var blind = 0.0
    /// The ledger stops answering for a while.
    ///
    /// Per step.
    var away = 0.0
    /// The ledger fails to save a progress.
    ///
    /// Per save.
    var lostSave = 0.0
    /// A waiting message vanishes.
    ///
    /// Per step.
    var purge = 0.0
    /// True if some devices' answers never come.
    var unknown = false
    /// True if the campaign gives up devices without an answer.
    var dropUnknown = false
    /// True if the campaign ends soon.
    var expiry = false
    /// The campaign's rate; 0 for none.
    var perSecond = 0
    /// The wall clock of the ledger's host is set, by seconds, an hour or a day.
    ///
    /// Per step.
    var clockStep = 0.0

    static let none = Faults()

    /// Faults that justify no extra send: no process dies, no connection breaks, every answer comes.
    static let benign = Faults(
        lostConfirm: 0.25,
        lostPublish: 0.1,
        duplicate: 0.2,
        terminate: 0.004,
        pause: 0.004,
        purge: 0.001
    )

    static let rough = Faults(
        lostConfirm: 0.2,
        lostPublish: 0.1,
        duplicate: 0.1,
        crash: 0.004,
        disconnect: 0.004,
        terminate: 0.004,
        pause: 0.004,
        purge: 0.001,
        unknown: true
    )

    /// So many faults that copies, returned messages and late writes meet in one shard.
    static let harsh = Faults(
        lostConfirm: 0.5,
        duplicate: 0.5,
        crash: 0.01,
        disconnect: 0.03,
        freeze: 0.003,
        terminate: 0.01,
        pause: 0.01
    )

    /// Returns the faults of a seed; every kind of campaign recurs within 32 seeds.
    static func of(seed: UInt64) -> Faults {
        var faults = seed % 2 == 0 ? benign : rough
        switch seed / 2 % 8 {
        case 0 where seed % 32 > 16: faults.perSecond = 20
        case 0: faults.quiet = 0.01
        case 1: faults.cancel = 0.002
        case 2: faults.expiry = true
        case 3: faults.dropUnknown = true
        case 4 where seed % 32 > 16: (faults.suspect, faults.wrongEnvironment) = (0.9, true)
        case 4:
            (faults.pause, faults.purge) = (0, 0)
            faults.isUrgent = true
        case 5:
            (faults.crash, faults.lostConfirm) = (faults.crash * 3, 0)
            if seed % 32 > 16 { faults.perSecond = 4 }
        case 6:
            if seed % 2 == 1 { faults = .harsh }
            (faults.leftOut, faults.known) = (0.3, 0.2)
        case 7 where seed % 32 > 16: (faults.outage, faults.suspect, faults.wrongEnvironment) = (0.02, 0.9, true)
        case 7: (faults.outage, faults.suspect) = (0.02, 0.2)
        default: break
        }
        if seed % 3 == 0 { faults.lostSave = 0.3 }
        return faults
    }
}

/// One rule of the design, broken on purpose to show that the simulation detects it.
enum BrokenRule: Sendable {
    /// A claim takes over a running shard even if its message was never delivered before.
    case claimsAlwaysTakeOver
    /// A parent has one retry shard per attempt, regardless of the rung.
    case oneChildPerAttempt
    /// A worker whose connection is lost goes on opening streams.
    case leaseIgnored
    /// Writes of a run that was taken over are accepted.
    case epochsIgnored
    /// Claims ignore the breaker.
    case breakerIgnored
    /// A newer campaign begins as soon as it has marked the older one.
    case runsNotAwaited
    /// A worker that cannot read the ledger opens streams without a time limit.
    case blindnessIgnored
    /// Claims ignore quiet hours.
    case quietIgnored
    /// Claims take rows from live workers.
    case livingOwnersIgnored
    /// Workers whose connection was lost do not give up their rows.
    case rowsNotGivenUp
    /// Claims and polls treat a campaign of two providers as one of the first.
    case sharesIgnored
    /// The ledger's time is its host's wall clock.
    case wallClockBelieved
    /// Claims of rows that no piece has reached yet do not check that the campaign is over.
    case marksIgnored
}

/// A fault that a simulated campaign has shown.
struct Violation: Error, CustomStringConvertible {
    var description: String
}
