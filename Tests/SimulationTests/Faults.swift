/// What goes wrong in a simulated campaign, as probabilities: of a step, of a publish, of a stream's answer.
struct Faults: Sendable {
    /// The message is in the queue, but its confirm never comes.
    ///
    /// Per publish.
    var lostConfirm = 0.0
    /// Neither arrives.
    ///
    /// Per publish.
    var lostPublish = 0.0
    /// The broker delivers a copy of its own, as at-least-once dead-lettering may.
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
    /// A worker stands still, perhaps for so long that others take it for dead, and then goes on.
    ///
    /// Per step.
    var freeze = 0.0
    /// How much time passes with a step, in milliseconds; less than this.
    var stride = 30
    /// Whether claims wait for the runs of workers that live for as long as it takes: then nobody is sent to twice.
    var isPatient = false
    /// A worker gets SIGTERM, and is started anew when it has drained.
    ///
    /// Per step.
    var terminate = 0.0
    /// An operator pauses or resumes.
    ///
    /// Per step.
    var pause = 0.0
    /// Whether the campaign has devices of two providers; then the outages are the first one's.
    var isMixed = false
    /// An operator pauses or resumes the second of two providers.
    ///
    /// Per step.
    var pauseShare = 0.0
    /// An operator gives the campaign another end.
    ///
    /// Per step.
    var endChange = 0.0
    /// An operator cancels.
    ///
    /// Per step.
    var cancel = 0.0
    /// The provider is out for a while.
    ///
    /// Per step.
    var outage = 0.0
    /// A device's token is called wrong whenever it is asked.
    ///
    /// Per device.
    var suspect = 0.0
    /// A device's content drops it.
    ///
    /// Per device.
    var leftOut = 0.0
    /// Whether that is so because of the environment, which somebody mends when the campaign is paused.
    var wrongEnvironment = false
    /// A device's content is refused.
    ///
    /// Per device.
    var refused = 0.0
    /// Whether a person mends that when the campaign is paused for it.
    var isContentFixed = false
    /// Whether the campaign takes the short way.
    var isUrgent = false
    /// A device has an outcome before its shard is first sent: its token is dead, or it had enough pushes.
    ///
    /// Per device.
    var known = 0.0
    /// Quiet hours of some of the devices begin or end.
    ///
    /// Per step.
    var quiet = 0.0
    /// A newer campaign of its collapse id is released.
    ///
    /// Per step.
    var supersede = 0.0
    /// A worker cannot read the ledger.
    ///
    /// Per look at it.
    var blind = 0.0
    /// The ledger stands still.
    ///
    /// Per step.
    var away = 0.0
    /// The ledger does not take a progress.
    ///
    /// Per save.
    var lostSave = 0.0
    /// A waiting message vanishes.
    ///
    /// Per step.
    var purge = 0.0
    /// Whether some devices' answers never come.
    var unknown = false
    /// Whether the campaign gives up devices without an answer.
    var dropUnknown = false
    /// Whether the campaign's end comes soon.
    var expiry = false
    /// The campaign's rate; 0 when it has none.
    var perSecond = 0
    /// Somebody sets the wall clock of the ledger's host, by seconds, an hour or a day.
    ///
    /// Per step.
    var clockStep = 0.0

    static let none = Faults()

    /// Everything that no extra send may follow from: nobody dies, no connection breaks, every answer comes.
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

    /// So much that copies, returned messages and late writes meet in one shard.
    static let harsh = Faults(
        lostConfirm: 0.5,
        duplicate: 0.5,
        crash: 0.01,
        disconnect: 0.03,
        freeze: 0.003,
        terminate: 0.01,
        pause: 0.01
    )

    /// The faults of a seed: every kind of campaign comes again within 32 seeds.
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

/// One rule of the design broken on purpose, to see that the simulation notices.
enum BrokenRule: Sendable {
    /// A claim takes a running shard over even if its message was never delivered before.
    case claimsAlwaysTakeOver
    /// A parent has one retry shard per attempt, whatever the rung.
    case oneChildPerAttempt
    /// A worker whose connection is lost goes on opening streams.
    case leaseIgnored
    /// Writes of a run that another has taken over are accepted.
    case epochsIgnored
    /// Claims do not ask the breaker.
    case breakerIgnored
    /// A newer campaign begins as soon as it has marked the older one.
    case runsNotAwaited
    /// A worker that cannot read the ledger opens streams for as long as it likes.
    case blindnessIgnored
    /// Claims do not ask for quiet hours.
    case quietIgnored
    /// Claims take rows from workers that live.
    case livingOwnersIgnored
    /// Workers whose connection was lost do not give their rows up.
    case rowsNotGivenUp
    /// Claims and looks take a campaign of two providers for one of the first.
    case sharesIgnored
    /// The time of the ledger is its host's wall clock.
    case wallClockBelieved
    /// Claims of rows that no piece has come to yet do not ask whether the campaign is over.
    case marksIgnored
}

/// What a simulated campaign showed to be wrong.
struct Violation: Error, CustomStringConvertible {
    var description: String
}
