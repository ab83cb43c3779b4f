import Seeds

/// The make-up of a run, drawn from its seed: sizes and faults.
///
/// Taking faults or devices away leaves the rest alike.
struct Plan: Equatable {
    var seed: UInt64
    var workers: Int
    var shards: Int
    var devicesPerShard: Int
    /// The longest pause of the producer between two shards, in milliseconds.
    var pause: Int
    var faults: [Fault]
    /// The numbers of campaigns that a smaller plan does without.
    var leftOut: Set<Int> = []

    /// The longest time of a fault, in milliseconds.
    private static let longest = 25_000

    /// Draws the plan of a seed; one seed in eight has no faults.
    init(seed: UInt64) {
        var random = SeededRandom(seed: seed ^ 0x5EED_0005)
        self.seed = seed
        workers = 1 + random.below(3)
        shards = 4 + random.below(30)
        devicesPerShard = 1 + random.below(20)
        pause = [20, 200, 2_000][random.below(3)]
        // Most faults come while shards are produced; the first milliseconds have the logins.
        let faulty = [100, shards * pause / 2, Self.longest][random.below(3)]
        faults =
            switch random.below(8) {
            case 0: []
            case 1: Self.flapping(&random)
            default:
                (0...random.below(10)).map { _ in Fault(at: random.below(faulty), kind: Self.kind(&random)) }
            }
        faults.sort { $0.at < $1.at }
    }

    /// Draws connections to the broker that go again and again while the answers of pushes take their time.
    private static func flapping(_ random: inout SeededRandom) -> [Fault] {
        let slow = PushService.Mood.slow(500 + random.below(3_500))
        return [Fault(at: 0, kind: .provider(slow, for: longest))]
            + (0..<4 + random.below(60)).map { _ in Fault(at: random.below(longest), kind: .cutToBroker) }
    }

    /// The campaigns of whole workers; they have as many devices as a shard of couriers.
    var campaigns: Int { 1 + shards / 4 }

    /// The time by which everything has ended, in milliseconds: what is produced, and then what is not healed at once.
    var limit: Int { (faults.map(\.end).max() ?? 0) + shards * pause + Self.patience }

    /// The time in which everything ends once all faults are over: lost connections are noticed after 20 s, others made
    /// within 10 s, and a few rungs of 5 s.
    private static let patience = 90_000

    private static func kind(_ random: inout SeededRandom) -> Fault.Kind {
        func time(_ random: inout SeededRandom) -> Int { 50 + random.below(random.chance(0.5) ? 2_000 : longest) }
        let host = random.below(8)
        return switch random.below(23) {
        case 0, 1: .cutToBroker
        case 2, 3: .cutToProvider
        case 4: .isolate(host: host, for: time(&random))
        case 5: .freeze(worker: host, for: time(&random))
        case 6: .crash(worker: host, for: time(&random))
        case 7: .clockSkew(host: host, partsPerMillion: random.below(200_000) - 100_000)
        case 8: .clockJump(host: host, by: random.below(7_200_000) - 3_600_000)
        case 9: .brokerCrash(for: time(&random))
        case 10: .alarm(for: time(&random))
        case 11: .refusePublishes(1 + random.below(20))
        case 12: .unbind(for: time(&random))
        case 13: .loseLeader(queue: random.below(3), for: time(&random))
        case 14: .provider(mood(&random), for: time(&random))
        case 15: .goAway
        case 16: .loseToBroker
        case 17: .loseToProvider
        case 18: .disk(.full(writes: 1 + random.below(20)))
        case 19: .disk(.failing(writes: 1 + random.below(20)))
        case 20: .disk(.killing(afterWrites: random.below(60), for: time(&random)))
        case 21: .disk(.powerLoss(for: time(&random)))
        default: .streamLimit(random.below(40), for: time(&random))
        }
    }

    private static func mood(_ random: inout SeededRandom) -> PushService.Mood {
        switch random.below(6) {
        case 0: .slow(200 + random.below(14_000))
        case 1: .silent
        case 2: .failing([500, 503, 429][random.below(3)])
        case 3: .refusing
        case 4: .resetting
        default: .garbled
        }
    }
}
