import Campaigns
import Delivery
import Logging
import Store

/// The end of runs: settle, publish what follows, ack, in this order (design, section 7).
extension WorkCoordinator {
    func ended(_ over: LoopRuns.Finished, _ token: RunToken) {
        let shard = over.shard
        switch over.end {
        case .settle(let settlement): settle(settlement, shard, token, over.probe)
        case .setAside(let reason, let progress): setAside(reason, progress, shard, token, over.probe)
        case .abandon(let progress): abandon(progress, token)
        case .violated:
            counters.ended(.violated)
            logger.critical("the law does not hold for a shard; it is parked", metadata: ["shard": "\(shard.id)"])
            parkRun(token)
        }
    }

    // MARK: - Settled

    private func settle(
        _ settlement: Settlement,
        _ shard: Shard,
        _ token: RunToken,
        _ probe: Breaker.ProbeResult?
    ) {
        let now = ledger.now()
        writer.write(.synced, "a settlement", priority: shard.lane.priority, scope: .shards) {
            let result = try $0.settle(token, settlement, now: now)
            if let probe, result != .fenced { try $0.endProbe(token.key, probe, now: now) }
            return result
        } then: { [self] result in
            defer { tracing?.forgot(token.key) }
            switch result {
            case .fenced:
                counters.ended(.fenced)
                finish(token)
            case .violated:
                counters.ended(.violated)
                logger.critical(
                    "a settlement has too few devices; its shard is parked",
                    metadata: ["shard": "\(shard.id)"]
                )
                finish(token)
            case .settled(let children):
                counters.settled(settlement, of: shard)
                if let reasons = retryNotices.settled(settlement, of: token.key.campaign, now: now) {
                    logRetries(reasons, of: shard)
                }
                tracing?.settled(shard, epoch: token.epoch, settlement, now: now)
                finish(token, publishing: children.map { OutgoingShard($0, $0.shard(from: shard)) })
            }
            noteProgress(of: token.key.campaign)
        }
    }

    private func logRetries(_ reasons: [String: Int], of shard: Shard) {
        let named = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        logger.notice(
            "devices are tried again",
            metadata: [
                "app": "\(shard.facts.app)", "campaign": "\(shard.facts.campaignID)",
                "provider": "\(shard.facts.provider.rawValue)", "reasons": "\(named.joined(separator: ", "))",
            ]
        )
    }

    /// Publishes shards, marks the confirmed ones, then reports to the machine; the sweeper publishes the others.
    func publish(_ left: [OutgoingShard], thenAck delivery: ShardDelivery?) {
        guard !left.isEmpty else { return tell { shards, _ in shards.published(delivery) } }
        writer.begin()
        publisher.publish(left) { [self] confirmed in
            writer.end {
                let now = ledger.now()
                writer.write(.normal, "confirms", priority: .bulk, scope: .shards) {
                    try $0.markOut(confirmed, now: now)
                }
                tell { shards, _ in shards.published(delivery) }
            }
        }
    }

    /// Reports to the machine that the ledger has recorded the run's end, or refused to.
    private func finish(_ token: RunToken, publishing left: [OutgoingShard] = []) {
        tell(left: left) { $0.ended(token.key, epoch: token.epoch, publishes: !left.isEmpty, at: $1) }
    }

    // MARK: - Not settled

    private func setAside(
        _ reason: AsideReason,
        _ progress: Progress,
        _ shard: Shard,
        _ token: RunToken,
        _ probe: Breaker.ProbeResult?
    ) {
        let now = ledger.now()
        tracing?.forgot(token.key)
        writer.write(.synced, "a shard that is set aside", scope: .shards) {
            let result = try $0.setAside(token, reason: reason, progress: progress, now: now)
            if let probe, result != .fenced { try $0.endProbe(token.key, probe, now: now) }
            return result
        } then: { [self] result in
            counters.ended(result == .fenced ? .fenced : .setAside)
            var left: [OutgoingShard] = []
            // A shard that is handed over is published at once, straight to its lane.
            if case .aside(let record) = result, record.state == .unpublished {
                var next = shard
                next.generation = record.generation
                left = [OutgoingShard(record, next)]
            }
            finish(token, publishing: left)
        }
    }

    private func abandon(_ progress: Progress, _ token: RunToken) {
        tracing?.forgot(token.key)
        writer.write(.normal, "the last progress of a lost lease", scope: .shards) {
            try $0.abandon(token, progress)
        } then: { [self] _ in
            counters.ended(.leaseLost)
            finish(token)
        }
    }

    /// Releases a row that this process claimed and will not run, so that the next worker need not wait for it.
    func giveUp(_ token: RunToken) {
        writer.write(.normal, "a claim that is given up", scope: .shards) {
            try $0.giveUp(token)
        }
    }

    private func parkRun(_ token: RunToken) {
        let now = ledger.now()
        tracing?.forgot(token.key)
        writer.write(.synced, "a shard that is parked") {
            try $0.parkShard(token, reason: "LawViolated", now: now)
        } then: { [self] _ in
            finish(token)
        }
    }
}

extension Lane {
    /// The priority of a commit: bulk shards share commits, urgent ones do not wait for others.
    var priority: Ledger.Priority { urgency == .urgent ? .atOnce : .bulk }
}
