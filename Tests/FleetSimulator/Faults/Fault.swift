/// Something that goes wrong at an instant, and heals by itself.
struct Fault: Equatable, CustomStringConvertible {
    /// The kinds of faults; times are milliseconds.
    enum Kind: Equatable {
        case cutToBroker
        case cutToProvider
        /// A connection goes without a word.
        case loseToBroker
        case loseToProvider
        case isolate(host: Int, for: Int)
        case freeze(worker: Int, for: Int)
        /// The worker's process ends; another one starts later.
        case crash(worker: Int, for: Int)
        case clockSkew(host: Int, partsPerMillion: Int)
        case clockJump(host: Int, by: Int)
        case disk(Disk)
        case brokerCrash(for: Int)
        case alarm(for: Int)
        case refusePublishes(Int)
        case unbind(for: Int)
        case loseLeader(queue: Int, for: Int)
        case provider(PushService.Mood, for: Int)
        case goAway
        case streamLimit(Int, for: Int)
    }

    /// The faults of a machine and its disk; only workers with a ledger have them.
    enum Disk: Equatable {
        /// So many writes fail because there is no room.
        case full(writes: Int)
        /// So many writes fail.
        case failing(writes: Int)
        /// The process that makes the write after so many ends with it, and another one starts later.
        case killing(afterWrites: Int, for: Int)
        /// All processes of the machine end, and what is not synced may be lost.
        case powerLoss(for: Int)
    }

    /// The instant, in milliseconds of the simulated time.
    var at: Int
    var kind: Kind

    /// The instant at which it is over, in milliseconds.
    var end: Int {
        switch kind {
        case .cutToBroker, .cutToProvider, .loseToBroker, .loseToProvider, .clockSkew, .clockJump, .refusePublishes,
            .goAway, .disk(.full), .disk(.failing):
            at
        case .disk(.killing(_, let time)), .disk(.powerLoss(let time)): at + time
        case .isolate(_, let time), .freeze(_, let time), .crash(_, let time), .loseLeader(_, let time),
            .provider(_, let time), .streamLimit(_, let time):
            at + time
        case .brokerCrash(let time), .alarm(let time), .unbind(let time): at + time
        }
    }

    /// True if a push may be repeated because of it: a worker or an answer may be lost.
    ///
    /// A worker that loses the broker alone keeps its answers, and nobody takes its shards while it lives.
    var mayRepeat: Bool {
        switch kind {
        case .cutToBroker, .brokerCrash, .loseLeader: false
        case .clockSkew, .clockJump, .refusePublishes, .unbind, .alarm, .goAway, .streamLimit, .loseToBroker: false
        case .provider(.failing, _), .provider(.refusing, _), .disk(.full), .disk(.failing): false
        // Far below the deadline of a stream.
        case .provider(.slow(let time), _): time > 4_000
        default: true
        }
    }

    /// True if a clock is wrong because of it.
    var changesClock: Bool {
        switch kind {
        case .clockSkew, .clockJump: true
        default: false
        }
    }

    /// The time for which a worker is frozen, in milliseconds; nil if none is.
    var freezeTime: Int? {
        if case .freeze(_, let time) = kind { return time }
        return nil
    }

    var isClockJump: Bool {
        if case .clockJump = kind { return true }
        return false
    }

    var description: String { "at \(at) ms: \(kind)" }
}
