package import Campaigns
package import Delivery
package import Store

extension AudienceSample {
    /// Measures the share of an app's registry that an audience has, on some ranges of it.
    ///
    /// Reads some 16,000 devices; blocks no writer. An audience of no more that the index finds is counted instead.
    ///
    /// - Parameters:
    ///   - source: The registry, with a segment or without.
    ///   - plan: The way to the devices by index, if there is one.
    ///   - app: The app.
    ///   - exclusion: The devices that are left out.
    ///   - last: The number of the registry's last device.
    ///   - random: A random number, from which the ranges are chosen.
    ///   - starting: The type of the Live Activities that are started: a device without a token for it does not count.
    ///   - ledger: The ledger.
    ///   - isMeant: Returns true for a device that counts.
    package static func measure(
        _ source: AudienceWalk.Source,
        by plan: IndexPlan?,
        app: String,
        exclusion: Exclusion,
        last: Int64,
        random: UInt64,
        starting: String? = nil,
        in ledger: Ledger,
        isMeant: (AudienceWalk.Member) -> Bool = { _ in true }
    ) async throws -> AudienceSample {
        let (base, registry) = (last & ~0xFFFF_FFFF, last & 0xFFFF_FFFF)
        func part(from position: Int64, to end: Int64, by plan: IndexPlan? = nil) -> AudienceWalk {
            AudienceWalk(
                source,
                app: app,
                exclusion: exclusion,
                carriesVariables: false,
                from: position,
                to: end,
                by: plan,
                starting: starting,
                in: ledger
            )
        }
        if let plan, plan.expected <= Int(countedMost) {
            let walk = part(from: 0, to: last, by: plan)
            var count = 0
            while !walk.isOver { try await walk.next { if isMeant($0) { count += 1 } } }
            return AudienceSample(counted: count, of: registry)
        }
        var found: [Int] = []
        for position in positions(in: registry, random: random) {
            let walk = part(from: position, to: base + min(position + span, registry))
            var count = 0
            try await walk.next { if isMeant($0) { count += 1 } }
            found.append(count)
        }
        return AudienceSample(found: found)
    }
}
