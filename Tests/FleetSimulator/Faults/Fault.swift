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
        case brokerCrash(for: Int)
        case alarm(for: Int)
        case refusePublishes(Int)
        case unbind(for: Int)
        case loseLeader(queue: Int, for: Int)
        case provider(PushService.Mood, for: Int)
        case goAway
        case streamLimit(Int, for: Int)
    }

    /// The instant, in milliseconds of the simulated time.
    var at: Int
    var kind: Kind

    /// The instant at which it is over, in milliseconds.
    var end: Int {
        switch kind {
        case .cutToBroker, .cutToProvider, .loseToBroker, .loseToProvider, .clockSkew, .clockJump, .refusePublishes,
            .goAway:
            at
        case .isolate(_, let time), .freeze(_, let time), .crash(_, let time), .loseLeader(_, let time),
            .provider(_, let time), .streamLimit(_, let time):
            at + time
        case .brokerCrash(let time), .alarm(let time), .unbind(let time): at + time
        }
    }

    var description: String { "at \(at) ms: \(kind)" }
}
