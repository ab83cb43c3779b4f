/// The extent of faults, which a smaller plan has less of.
extension Fault {
    /// The time that it lasts, or the writes or messages that it takes.
    var weight: Int {
        switch kind {
        case .disk(.full(let count)), .disk(.failing(let count)), .refusePublishes(let count): count
        case .disk(.killing(let count, let time)): count + time
        case .clockSkew(_, let speed): abs(speed)
        case .clockJump(_, let time): abs(time)
        case .provider(.slow(let answer), let time): answer + time
        default: end - at
        }
    }

    /// Makes it half as long or half as large.
    mutating func halve() {
        switch kind {
        case .cutToBroker, .cutToProvider, .loseToBroker, .loseToProvider, .goAway: break
        case .isolate(let host, let time): kind = .isolate(host: host, for: time / 2)
        case .freeze(let worker, let time): kind = .freeze(worker: worker, for: time / 2)
        case .crash(let worker, let time): kind = .crash(worker: worker, for: time / 2)
        case .clockSkew(let host, let speed): kind = .clockSkew(host: host, partsPerMillion: speed / 2)
        case .clockJump(let host, let time): kind = .clockJump(host: host, by: time / 2)
        case .disk(let disk): kind = .disk(disk.halved)
        case .brokerCrash(let time): kind = .brokerCrash(for: time / 2)
        case .alarm(let time): kind = .alarm(for: time / 2)
        case .refusePublishes(let count): kind = .refusePublishes(count / 2)
        case .unbind(let time): kind = .unbind(for: time / 2)
        case .loseLeader(let queue, let time): kind = .loseLeader(queue: queue, for: time / 2)
        case .provider(.slow(let answer), let time): kind = .provider(.slow(answer / 2), for: time / 2)
        case .provider(let mood, let time): kind = .provider(mood, for: time / 2)
        case .streamLimit(let streams, let time): kind = .streamLimit(streams, for: time / 2)
        }
    }
}

extension Fault.Disk {
    fileprivate var halved: Fault.Disk {
        switch self {
        case .full(let writes): .full(writes: writes / 2)
        case .failing(let writes): .failing(writes: writes / 2)
        case .killing(let writes, let time): .killing(afterWrites: writes / 2, for: time / 2)
        case .powerLoss(let time): .powerLoss(for: time / 2)
        }
    }
}
