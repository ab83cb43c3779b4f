import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// A match on many phones: its Live Activity starts, is updated twenty times in quick succession, and ends.
    @Suite("Activity round")
    struct ActivityRound {
        private static let count = FullSuite.isOn ? 1_000 : 200
        private static let requestsKept = 40 * count
        /// The minute after which some phones follow, others have a new token, and others no longer follow.
        private static let half = 10

        /// Few streams and slow answers, so that updates meet while they are sent, and a service that is out for some
        /// tokens, so that a part of each update waits on a rung.
        private static let faults = [
            "streams": "4", "latency": "20-60", "rules": "dead=dead,5030=503", "retry_after": "1",
        ]

        /// A request as it came to the provider.
        private struct Request {
            var token: String
            var minute: Int
            /// True if the provider took it.
            var isTaken: Bool
        }

        @Test func `no phone gets an older score after a newer one, or anything after the end`() async throws {
            try await PrivateFleet.with(faults: Self.faults, requestsKept: Self.requestsKept) { fleet in
                let (edge, key) = try await fleet.startEdge(more: ", device_tags: true")
                for _ in 1...2 { _ = try await fleet.startWorker() }
                let fans = try await ActivityFan.registered(Self.count, edge, key: key)
                for fan in fans { for token in fan.tokens { fleet.simulator.setDevice(token, isOnline: true) } }
                let match = ActivityMatch(fleet: fleet)
                try await start(match, fans)
                try await follow(match, fans, edge)
                try await update(match, fans, edge)
                try await end(match, fans)

                let seen = try requests(fleet)
                try await checkLedger(match, seen)
                try checkOrder(fans, seen)
                for fan in fans { try checkScreens(fan, fleet) }
            }
        }

        // MARK: - The match

        private func start(_ match: ActivityMatch, _ fans: [ActivityFan]) async throws {
            try await match.publish(0)
            let started = try await match.completed(0)
            let meant = fans.count { $0.role != .elsewhere }
            let skipped = fans.count { $0.role == .tokenless }
            #expect(started.audience == meant && started.counts.accepted == meant - skipped)
            #expect(started.counts.skipped == skipped && started.reasons["NoToken"] == skipped)
        }

        /// Has the phones on which it started follow it, and lets each get the first update, or an answer that sends it
        /// to a rung.
        private func follow(_ match: ActivityMatch, _ fans: [ActivityFan], _ edge: Phone.Edge) async throws {
            let simulator = match.fleet.simulator
            let started = fans.filter { simulator.device($0.start)?.activity?.arrived.map(\.event) == ["start"] }
            let meant = fans.count { $0.role != .elsewhere && $0.role != .tokenless }
            #expect(started.count == meant)
            _ = try await Phone.Edge.forEach(started.filter { $0.role != .late }) { fan in
                try await fan.says(fan.first, to: edge)
            }
            try await match.publish(1)
            try await eventually("each has an answer to the first update") {
                guard let pending = try await match.status(1)?.pending else { return false }
                return pending.retrying > 0 && pending.retrying == pending.total
            }
        }

        /// Publishes the other updates, each as soon as the one before is confirmed; between two of them some phones
        /// change.
        private func update(_ match: ActivityMatch, _ fans: [ActivityFan], _ edge: Phone.Edge) async throws {
            for minute in 2...Self.half { try await match.publish(minute) }
            _ = try await Phone.Edge.forEach(fans) { fan in
                switch fan.role {
                case .late: try await fan.says(fan.first, to: edge)
                case .moving: try await fan.says(fan.second, to: edge)
                case .leaving: try await fan.says(nil, to: edge)
                case .elsewhere, .tokenless, .gone, .unsteady, .steady: break
                }
            }
            for minute in Self.half + 1...ActivityMatch.updates { try await match.publish(minute) }
        }

        /// Ends it while some of the last update and of the end itself wait on a rung; afterwards nobody follows it.
        private func end(_ match: ActivityMatch, _ fans: [ActivityFan]) async throws {
            let (last, over) = (ActivityMatch.updates, ActivityMatch.over)
            try await eventually("some of the last update wait for another try") {
                try await match.status(last)?.pending.retrying ?? 0 > 0
            }
            try await match.publish(over)
            try await eventually("some of the end wait for another try") {
                try await match.status(over)?.pending.retrying ?? 0 > 0
            }
            _ = try await match.fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set("rules", to: "dead=dead")
            }
            let ended = try await match.completed(over)
            let following = fans.count { $0.last != nil }
            #expect(ended.audience == following && ended.counts.accepted == following)
            try await match.publish(over + 1)
            let late = try await eventually("nobody follows it any more") {
                let status = try await match.status(over + 1)
                return status?.state == "failed" ? status : nil
            }
            #expect(late.audience == 0)
        }

        // MARK: - The result

        /// Returns all requests in the order of their arrival.
        private func requests(_ fleet: PrivateFleet) throws -> [Request] {
            let kept = fleet.simulator.lastRequests
            #expect(kept.count < Self.requestsKept, "there may have been others")
            return try kept.map { request in
                let aps = try #require(JSONReader.read(request.payload).value?["aps"])
                return Request(
                    token: String(request.path.dropFirst("/3/device/".count)),
                    minute: Int(try #require(aps["content-state"]?["minute"]?.integer)),
                    isTaken: request.status == 200
                )
            }
        }

        /// Checks that each campaign accounts for its audience, and that the provider took as many pushes as it says.
        private func checkLedger(_ match: ActivityMatch, _ requests: [Request]) async throws {
            var superseded = 0
            for minute in 0...ActivityMatch.over {
                let status = try await match.completed(minute)
                let taken = requests.count { $0.minute == minute && $0.isTaken }
                #expect(status.law == .holds && status.audience == status.counts.total, "\(minute): \(status.counts)")
                #expect(status.counts.accepted == taken, "\(minute): \(status.counts)")
                superseded += status.counts.superseded
            }
            #expect(superseded > 0)
            print("\(requests.count) requests in all; \(superseded) were superseded")
        }

        /// Checks the requests of each phone, by all its tokens for Live Activities, in the order of their arrival.
        private func checkOrder(_ fans: [ActivityFan], _ requests: [Request]) throws {
            var owners: [String: Int] = [:]
            for (number, fan) in fans.enumerated() { for token in fan.tokens { owners[token] = number } }
            var byPhone = Array(repeating: [Request](), count: fans.count)
            for request in requests {
                let owner = try #require(owners[request.token], "\(request) is to a phone's own token")
                byPhone[owner].append(request)
            }
            for (fan, mine) in zip(fans, byPhone) {
                let (minutes, taken) = (mine.map(\.minute), mine.filter(\.isTaken).map(\.minute))
                #expect(minutes == minutes.sorted(), "\(fan.phone.id) of \(fan.role)")
                #expect(taken == Set(taken).sorted(), "\(fan.phone.id) of \(fan.role): each once")
                if let end = mine.firstIndex(where: { $0.minute == ActivityMatch.over && $0.isTaken }) {
                    #expect(mine[end...].count == 1, "\(fan.phone.id) of \(fan.role) gets something after the end")
                }
                check(fan, minutes, taken, mine)
            }
        }

        /// Checks what a phone's role says of its requests.
        private func check(_ fan: ActivityFan, _ minutes: [Int], _ taken: [Int], _ mine: [Request]) {
            switch fan.role {
            case .elsewhere, .tokenless: #expect(mine.isEmpty)
            case .gone: #expect(minutes == [0, 1] && taken == [0], "\(minutes)")
            case .leaving: #expect(minutes.allSatisfy { $0 <= Self.half }, "\(minutes)")
            case .moving:
                let old = mine.filter { $0.token == fan.first }
                #expect(old.allSatisfy { $0.minute <= Self.half }, "\(minutes)")
            case .late, .unsteady, .steady: break
            }
            guard let last = fan.last else { return }
            #expect(taken.last == ActivityMatch.over && mine.last?.token == last, "\(fan.phone.id): \(minutes)")
        }

        /// Checks what a phone's screens show, and what came to them: a screen alone drops what is older.
        private func checkScreens(_ fan: ActivityFan, _ fleet: PrivateFleet) throws {
            for token in fan.tokens {
                let times = fleet.simulator.device(token)?.activity?.arrived.map(\.timestamp) ?? []
                #expect(times == Set(times).sorted(), "\(fan.phone.id) of \(fan.role)")
            }
            guard let last = fan.last else { return }
            let screen = try #require(fleet.simulator.device(last)?.activity)
            #expect(screen.arrived.last?.event == "end")
            #expect(screen.shown?.state == #"{"minute":\#(ActivityMatch.over),"score":\#(ActivityMatch.updates)}"#)
        }
    }
}
