import Campaigns
import FanfareKit
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Hundreds of apps, and every way to notify a person: by the system, inside the app, or after that failed.
    @Suite("Kit round, told inside") @MainActor
    struct InsideRound {
        private static let count = FullSuite.isOn ? 1000 : 100
        private static let kinds = ["notification", "announcement", "poll"]
        private static let shows = ["any", "system", "in_app"]

        /// The behavior of one phone for all campaigns, drawn beforehand.
        private struct Plan {
            /// True if its user does not allow notifications.
            var isDenied = false
            var isInFront = false
            var isKilled = false
            var notifier: KitPhone.Notifier?
            var answer: KitPhone.Answer?
            var end = KitPhone.End.left
            var answersPolls = false
        }

        private func plan(_ random: inout SeededRandom) -> Plan {
            var plan = Plan()
            plan.isDenied = random.chance(0.2)
            plan.isInFront = random.chance(0.5)
            plan.isKilled = random.chance(0.2)
            plan.notifier = [.draws, .draws, .declines, nil][Int(random.below(4))]
            // A drawn notification that is never answered keeps all others off the screen.
            let answers: [KitPhone.Answer?] = [.dismissed, .tapped, plan.notifier == .draws ? .tapped : nil]
            plan.answer = answers[Int(random.below(3))]
            let ends: [KitPhone.End] = [.acted("BUY"), .acted(nil), .left, .refused("NoLayout")]
            plan.end = ends[Int(random.below(4))]
            plan.answersPolls = random.chance(0.5)
            return plan
        }

        // MARK: - The expected counts

        private func count(_ plan: Plan, _ kind: String, _ show: String, in funnel: inout ExpectedFunnel) {
            if show == "in_app" || show == "any" && plan.isDenied { return countInside(plan, kind, in: &funnel) }
            guard !plan.isDenied else { return }
            funnel.add("system", "received")
            if plan.isInFront, show == "any", plan.notifier != nil { return countInside(plan, kind, in: &funnel) }
            if plan.isInFront { funnel.add("system", "displayed") }
            switch plan.answer {
            case nil: break
            case .dismissed: funnel.add("system", "exited")
            case .tapped:
                funnel.add("system", "opened")
                countContent(plan, kind, in: &funnel)
            }
        }

        private func countInside(_ plan: Plan, _ kind: String, in funnel: inout ExpectedFunnel) {
            switch plan.notifier {
            case nil: return funnel.add("in_app", "dropped", "NoNotifier")
            case .declines: return funnel.add("in_app", "dropped", "Declined")
            case .draws: funnel.add("in_app", "displayed")
            }
            switch plan.answer {
            case nil: break
            case .dismissed: funnel.add("in_app", "exited")
            case .tapped:
                funnel.add("in_app", "actioned", "action")
                countContent(plan, kind, in: &funnel)
            }
        }

        private func countContent(_ plan: Plan, _ kind: String, in funnel: inout ExpectedFunnel) {
            if kind == "notification" { return }
            if kind == "poll", plan.answersPolls { return funnel.add("content", "displayed") }
            if case .refused(let reason) = plan.end { return funnel.add("content", "dropped", reason) }
            funnel.add("content", "displayed")
            if case .acted(let button) = plan.end {
                funnel.add("content", "actioned", button ?? "action")
            } else {
                funnel.add("content", "exited")
            }
        }

        // MARK: - The round

        @Test func `apps are told by the system, inside, or after no push came; each report is what they did`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: 7 * Self.count) { fleet in
                let key = try await fleet.openEdge()
                let server = "http://127.0.0.1:\(try await fleet.startServer())"
                _ = try await fleet.startWorker()
                var random = SeededRandom(seed: 12)
                let phones = TestDevices.tokens(Self.count).enumerated().map { number, token in
                    (KitPhone(token: token, folder: "\(fleet.folder)/phone-\(number)"), plan(&random))
                }
                try await register(phones, server, key: key, fleet)
                let reached = phones.count { !$0.1.isDenied }
                for kind in Self.kinds {
                    for show in Self.shows {
                        try await fleet.publish(Self.job(kind, show))
                        guard show != "in_app" else { continue }
                        let status = try await fleet.completed("\(kind)-\(show)")
                        #expect(
                            status.counts.accepted == UInt64(reached)
                                && status.counts.skipped == UInt64(Self.count - reached)
                        )
                    }
                }
                for show in ["any", "system"] {
                    for kind in Self.kinds {
                        try await use(phones, fleet.payloads(of: "\(kind)-\(show)"), show)
                    }
                }
                for (phone, plan) in phones where plan.isKilled {
                    try await phone.kill()
                    try phone.start(server, key: key)
                }
                try await hear(phones)
                for kind in Self.kinds {
                    for show in Self.shows { try await expect(phones.map(\.1), kind, show, fleet) }
                }
                for (phone, _) in phones { phone.fanfare?.stop() }
            }
        }

        private static func job(_ kind: String, _ show: String) -> TestJob {
            var job = TestJob("\(kind)-\(show)", [])
            (job.kind, job.audience) = (kind, ["everyone": true])
            var members = [JSONMember("title", "An offer"), JSONMember("body", "Only today")]
            if kind == "announcement" {
                members.append(
                    JSONMember("announcement", ["format": "text", "title": "Ten percent", "body": "On scarves"])
                )
            } else if kind == "poll" {
                let choices: JSONValue = [["id": "real", "title": "Real"], ["id": "atleti", "title": "Atleti"]]
                let questions: JSONValue = [["id": "who", "title": "Who wins?", "choices": choices]]
                members.append(JSONMember("poll", ["questions": questions]))
            }
            job.content = .object(members)
            job.delivery = ["show": .string(show)]
            return job
        }

        private func register(
            _ phones: [(KitPhone, Plan)],
            _ server: String,
            key: String,
            _ fleet: PrivateFleet
        ) async throws {
            for (phone, plan) in phones {
                phone.sessionTimeout = 0
                (phone.notifier, phone.answer, phone.end) = (plan.notifier, plan.answer, plan.end)
                if plan.answersPolls { phone.choices = ["who": ["real"]] }
                try phone.start(server, key: key)
                if plan.isDenied { try phone.kit().setPermission(.denied) }
            }
            try await eventually("all are registered", within: .seconds(120)) { phones.allSatisfy(\.0.isRegistered) }
            for (phone, plan) in phones where plan.isInFront { try phone.kit().didBecomeActive() }
            for (phone, _) in phones { try await phone.kit().settled() }
            try await eventually("the registry knows who allows nothing", within: .seconds(60)) {
                for (phone, plan) in phones where plan.isDenied {
                    guard let id = try await phone.kit().deviceID()?.uuidString.lowercased() else { return false }
                    let device = try await fleet.ledger.read { try $0.device(app: PrivateFleet.app, installation: id) }
                    guard device?.traits.permission == .denied else { return false }
                }
                return true
            }
        }

        /// Delivers one campaign's pushes, all at once.
        private func use(_ phones: [(KitPhone, Plan)], _ payloads: [String: String], _ show: String) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (phone, plan) in phones {
                    guard let payload = payloads[phone.token] else {
                        #expect(plan.isDenied)
                        continue
                    }
                    group.addTask { try await use(phone, plan, payload, show) }
                }
                try await group.waitForAll()
            }
        }

        private func use(_ phone: KitPhone, _ plan: Plan, _ payload: String, _ show: String) async throws {
            try await phone.received(payload)
            if plan.isInFront { try await phone.displayed(payload) }
            guard !(plan.isInFront && show == "any" && plan.notifier != nil) else {
                return try await phone.kit().settled()
            }
            switch plan.answer {
            case nil: break
            case .dismissed: try await phone.dismissed(payload)
            case .tapped:
                // A tap brings the app to the front.
                if !plan.isInFront { try phone.kit().didBecomeActive() }
                try await phone.tapped(payload)
            }
            try await phone.kit().settled()
            if !plan.isInFront { try phone.kit().willResignActive() }
        }

        /// Opens every app once the server has everything that it offers.
        private func hear(_ phones: [(KitPhone, Plan)]) async throws {
            let one = try #require(phones.first { $0.1.isDenied && $0.1.notifier == .draws }?.0)
            let others = phones.map(\.0).filter { $0 !== one }
            try await eventually("three that are shown inside, and three that no push brought", within: .seconds(60)) {
                try await open(one)
                return one.toldCount == 2 * Self.kinds.count
            }
            for phone in others { try await open(phone) }
        }

        private func open(_ phone: KitPhone) async throws {
            try await eventually("it is registered") { phone.isRegistered }
            let kit = try phone.kit()
            kit.willResignActive()
            kit.didBecomeActive()
            await kit.settled()
        }

        private func expect(_ plans: [Plan], _ kind: String, _ show: String, _ fleet: PrivateFleet) async throws {
            let campaign = "\(kind)-\(show)"
            var funnel = ExpectedFunnel()
            for plan in plans { count(plan, kind, show, in: &funnel) }
            let expected = funnel
            do {
                try await eventually("the funnel of \(campaign) is what was done", within: .seconds(60)) {
                    expected.differences(from: try await fleet.report(campaign)).isEmpty
                }
            } catch {
                #expect(expected.differences(from: try await fleet.report(campaign)) == [], "\(campaign)")
                throw error
            }
            guard show == "in_app" else { return }
            let status = try #require(try await fleet.status(campaign))
            #expect(status.audience == Self.count && status.counts.accepted == UInt64(Self.count), "\(campaign)")
            #expect(status.attempts == 0 && status.law == .holds)
        }
    }
}
