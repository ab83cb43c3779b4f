/// The smaller plans to try when one fails: fewer campaigns, devices, workers and faults, then less time.
extension Plan {
    /// The smaller plans, the smallest first; each weighs less than this one, so that the search ends.
    ///
    /// - Parameter isFleet: True if campaigns are sent to, each of which a plan can do without; couriers have shards.
    func smaller(isFleet: Bool) -> [Plan] {
        let plans = fewerShards + (isFleet ? fewerCampaigns : []) + fewerDevices + fewerFaults + shorter
        return plans.filter { $0.shards > 0 && $0.devicesPerShard > 0 && $0.weight < weight }
    }

    /// The size of the plan, and then its times.
    private var weight: (Int, Int) {
        let numbers = (0..<campaigns).filter { !leftOut.contains($0) }
        let size = (shards + 4 * numbers.count) * devicesPerShard + workers + 10 * faults.count
        return (size, pause + faults.reduce(0) { $0 + $1.at + $1.weight })
    }

    private func with(_ change: (inout Plan) -> Void) -> Plan {
        var plan = self
        change(&plan)
        return plan
    }

    private var fewerShards: [Plan] { [1, 2, 4, shards / 2].map { count in with { $0.shards = count } } }

    private var fewerCampaigns: [Plan] {
        let numbers = (0..<campaigns).filter { !leftOut.contains($0) }
        guard numbers.count > 1 else { return [] }
        let halves = [numbers.prefix(numbers.count / 2), numbers.suffix(numbers.count / 2)]
        return (halves.map(Array.init) + numbers.map { [$0] }).map { out in with { $0.leftOut.formUnion(out) } }
    }

    private var fewerDevices: [Plan] {
        [with { $0.devicesPerShard = 1 }, with { $0.devicesPerShard /= 2 }, with { $0.workers = 1 }]
    }

    private var fewerFaults: [Plan] {
        guard !faults.isEmpty else { return [] }
        return [
            with { $0.faults = [] },
            with { $0.faults.removeFirst($0.faults.count / 2) },
            with { $0.faults.removeLast($0.faults.count / 2) },
        ] + faults.indices.map { index in with { $0.faults.remove(at: index) } }
    }

    /// The plans in which everything comes sooner and lasts less: first all faults together, so that those that only
    /// break a law side by side stay there, and then each alone.
    private var shorter: [Plan] {
        let first = faults.map(\.at).min() ?? 0
        let together = [
            with { $0.pause = 1 },
            with { $0.pause /= 2 },
            with { plan in for index in plan.faults.indices { plan.faults[index].at -= first } },
            with { plan in for index in plan.faults.indices { plan.faults[index].at /= 2 } },
            with { plan in for index in plan.faults.indices { plan.faults[index].halve() } },
        ]
        let alone = faults.indices.flatMap { index in
            [with { $0.faults[index].at /= 2 }, with { $0.faults[index].halve() }]
        }
        return (together + alone).map { plan in plan.with { $0.faults.sort { $0.at < $1.at } } }
    }
}

extension Plan: CustomStringConvertible {
    var description: String {
        let without = leftOut.isEmpty ? "" : " without campaigns \(leftOut.sorted())"
        return "\(workers) workers, \(shards) shards of \(devicesPerShard)\(without), pauses of \(pause) ms, faults:"
    }
}
