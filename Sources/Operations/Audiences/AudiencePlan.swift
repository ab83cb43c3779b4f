package import Campaigns
package import Store

/// The way in which the devices of an audience are found in the registry, with the facts by which it was chosen.
package struct AudiencePlan: Sendable, Equatable {
    /// A term or question of the segment that the index knows.
    package struct Term: Sendable, Equatable {
        /// The name for people.
        package var name: String
        /// The devices that have it.
        package var devices: Int
        /// True if it is looked at.
        package var isUsed: Bool
    }

    /// The choice.
    package var choice: IndexPlan.Choice
    /// The part of the segment that the index answers, for people; nil for none.
    package var text: String?
    /// The terms, in the order of the segment; empty if they were not counted.
    package var terms: [Term] = []
    /// The devices that changed and are not in the index yet.
    package var changed = 0
    /// The rows that were read for the choice.
    package var rowsRead = AudienceWalk.RowsRead()

    /// The plan, if the index is read.
    package var index: IndexPlan? { if case .index(let plan) = choice { plan } else { nil } }

    /// Plans a walk over an app's registry.
    ///
    /// Reads a row of the index for each 4,096 device numbers and term at most.
    ///
    /// - Parameters:
    ///   - segment: The segment; nil for everyone.
    ///   - last: The number of the registry's last device.
    ///   - ledger: The ledger.
    package static func read(
        _ segment: TrackedSegment?,
        last: Int64,
        from ledger: Ledger
    ) async throws(LedgerError) -> AudiencePlan {
        guard let segment else { return AudiencePlan(choice: .walk(.everyone)) }
        return try await ledger.read { reader in
            let standing = try reader.indexStanding(last: last, changedMost: IndexPlan.changedMost(last: last))
            let expression = segment.indexed
            var plan = AudiencePlan(choice: .walk(.notIndexed), text: expression.map { segment.text(of: $0) })
            plan.changed = standing.changed
            if let reason = IndexPlan.reasonToWalk(expression, last: last, standing) {
                plan.choice = .walk(reason)
                return plan
            }
            guard let expression else { return plan }
            var counts: [IndexExpression.Leaf: Int] = [:]
            for leaf in expression.leaves {
                switch leaf {
                case .term(let term):
                    let found = try reader.indexCount(of: term, last: last)
                    counts[leaf] = found.devices
                    plan.rowsRead.index += found.rows
                case .question(let question): counts[leaf] = segment.answerCount(question)
                }
            }
            func count(_ leaf: IndexExpression.Leaf) -> Int { counts[leaf] ?? 0 }
            plan.choice = IndexPlan.choice(expression, last: last, standing, count: count)
            let pruned = expression.pruned(registry: last & 0xFFFF_FFFF, count)
            if pruned.hasConjunction {
                let sample = try Self.sample(pruned, segment, last: last, reader)
                plan.rowsRead.index += sample.rows
                plan.choice = IndexPlan.choice(
                    expression,
                    last: last,
                    standing,
                    count: count,
                    sampled: sample.devices
                )
            }
            let used = Set(plan.index?.expression.leaves ?? [])
            plan.terms = expression.leaves.map { leaf in
                let name = segment.text(of: IndexExpression(leaf))
                return Term(name: name, devices: count(leaf), isUsed: used.contains(leaf))
            }
            plan.text = segment.text(of: plan.index?.expression ?? expression)
            return plan
        }
    }

    /// Estimates the devices of an expression from some evenly spread blocks.
    private static func sample(
        _ expression: IndexExpression,
        _ segment: TrackedSegment,
        last: Int64,
        _ reader: LedgerReader
    ) throws(LedgerError) -> (devices: Int, rows: Int) {
        let first = IndexBlock.block(of: last & ~0xFFFF_FFFF)
        let blocks = IndexBlock.block(of: last) - first + 1
        let step = max(1, (blocks + Int64(IndexPlan.sampleBlocks) - 1) / Int64(IndexPlan.sampleBlocks))
        var (devices, rows, looked): (Int, Int, Int64) = (0, 0, 0)
        for block in stride(from: first, to: first + blocks, by: Int(step)) {
            let found = try reader.indexRows(of: expression, blocks: block...block)
            rows += found.count
            looked += 1
            devices += found.devices(of: expression, block: block) { segment.answer($0, block: $1) }?.count ?? 0
        }
        return (Int((Double(devices) * Double(blocks) / Double(looked)).rounded()), rows)
    }
}
