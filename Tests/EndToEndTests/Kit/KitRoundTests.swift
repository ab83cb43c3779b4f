import Campaigns
import FanfareKit
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing

@testable import fanfare

extension EndToEnd {
    /// The whole cycle with the library: hundreds of apps in one process, a real worker, server, broker and simulator.
    @Suite("Kit round") @MainActor
    struct KitRound {
        private static let count = FullSuite.isOn ? 1000 : 100

        /// A person's action on a notification.
        private enum Deed: Equatable {
            case nothing
            case dismissed
            /// A button that does not open the app.
            case declined
            /// A button that opens the app, and the end of the announcement.
            case accepted(KitPhone.End)
            case tapped(KitPhone.End)
        }

        /// The behavior of one phone, drawn beforehand.
        private struct Plan {
            var isInFront = false
            /// True if it has no network from before the push until all phones have acted.
            var isOffline = false
            /// True if it is killed after its action, and restarted when the network is back.
            var isKilled = false
            /// True if the system reports everything twice.
            var isTwice = false
            var hasPresenter = true
            /// The app's own treatment of notifications in front.
            var notifier: KitPhone.Notifier?
            var dataPushes: KitPhone.DataAnswer?
            var deed = Deed.nothing
        }

        private func plan(_ random: inout SeededRandom) -> Plan {
            var plan = Plan()
            plan.isInFront = random.chance(0.5)
            plan.isOffline = random.chance(0.3)
            plan.isKilled = random.chance(plan.isOffline ? 0.5 : 0.1)
            plan.isTwice = random.chance(0.2)
            plan.hasPresenter = random.chance(0.9)
            if plan.isInFront { plan.notifier = [.draws, .declines, nil, nil][Int(random.below(4))] }
            plan.dataPushes = [.taken, .declined, .failed, nil][Int(random.below(4))]
            // The end of a vanished view is decided after five seconds in front, which a killed app does not have.
            let ends: [KitPhone.End] = [
                .acted("BUY"), .acted(nil), .left, .refused("NoLayout"), plan.isKilled ? .left : .vanished,
            ]
            let end = ends[Int(random.below(5))]
            switch random.below(6) {
            case 0: plan.deed = .dismissed
            case 1: plan.deed = .declined
            case 2: plan.deed = .accepted(end)
            case 3, 4: plan.deed = .tapped(end)
            default: break
            }
            return plan
        }

        /// Adds the expected counts of the announcement.
        private func count(_ plan: Plan, in funnel: inout ExpectedFunnel) {
            funnel.add("system", "received")
            if plan.notifier == .declines { return funnel.add("in_app", "dropped", "Declined") }
            // The surface that shows it and therefore receives the answer.
            let surface = plan.notifier == nil ? "system" : "in_app"
            if plan.isInFront { funnel.add(surface, "displayed") }
            let end: KitPhone.End
            switch plan.deed {
            case .nothing: return
            case .dismissed: return funnel.add(surface, "exited")
            case .declined: return plan.notifier == nil ? funnel.add("system", "actioned", "NO") : ()
            case .accepted(let then):
                funnel.add(surface, "actioned", "YES")
                end = then
            case .tapped(let then):
                if plan.notifier == nil {
                    funnel.add("system", "opened")
                } else {
                    funnel.add("in_app", "actioned", "action")
                }
                end = then
            }
            // The announcement itself is fetched: without network the fetch waits, even across an end of the app.
            guard plan.hasPresenter else { return funnel.add("content", "dropped", "NoPresenter") }
            if case .refused(let reason) = end { return funnel.add("content", "dropped", reason) }
            funnel.add("content", "displayed")
            switch end {
            case .acted(let button): funnel.add("content", "actioned", button ?? "action")
            default: funnel.add("content", "exited")
            }
        }

        /// Adds the expected counts of the data push.
        private func countData(_ plan: Plan, in funnel: inout ExpectedFunnel) {
            funnel.add("system", "received")
            switch plan.dataPushes {
            case .taken: funnel.add("content", "actioned", "action")
            case .declined: funnel.add("content", "exited")
            case .failed: funnel.add("content", "dropped", "HandlerFailed")
            case nil: funnel.add("content", "dropped", "NoHandler")
            }
        }

        @Test func `hundreds of apps register, get a push, fetch, show and track; the funnel is what was done on them`()
            async throws
        {
            try await PrivateFleet.with(requestsKept: 2500) { fleet in
                let key = try await fleet.openEdge()
                let port = try await fleet.startServer()
                _ = try await fleet.startWorker()
                // Half of the phones lose this network.
                let network = try await PhoneNetwork(host: "127.0.0.1", port: port)
                let server = "http://127.0.0.1:\(port)"
                var random = SeededRandom(seed: 9)
                let tokens = TestDevices.tokens(Self.count)
                let phones = tokens.enumerated().map { number, token in
                    (KitPhone(token: token, folder: "\(fleet.folder)/phone-\(number)"), plan(&random))
                }
                try await register(phones, server, "http://127.0.0.1:\(network.port)", key: key)
                for job in [Self.offer, Self.refresh] {
                    try await fleet.publish(job)
                    #expect(try await fleet.completed(job.id).counts.accepted == UInt64(Self.count))
                }
                let (offers, refreshes) = (fleet.payloads(of: "offer"), fleet.payloads(of: "refresh"))
                #expect(offers.count == Self.count && refreshes.count == Self.count)

                network.isThere = false
                try await use(phones, offers, refreshes)
                network.isThere = true
                for (phone, plan) in phones where plan.isKilled {
                    try phone.start(server, key: key)
                    // Announcements opened without network are shown when the app is opened again.
                    try phone.kit().didBecomeActive()
                }
                for (phone, plan) in phones where plan.isOffline && !plan.isKilled {
                    try phone.kit().networkReturned()
                }
                var (offer, refresh) = (ExpectedFunnel(), ExpectedFunnel())
                for (_, plan) in phones {
                    count(plan, in: &offer)
                    countData(plan, in: &refresh)
                }
                try await expect(offer, of: "offer", fleet, phones.map(\.0))
                try await expect(refresh, of: "refresh", fleet, phones.map(\.0))
                for (phone, _) in phones { phone.fanfare?.stop() }
            }
        }

        private static var offer: TestJob {
            var job = TestJob("offer", [])
            job.kind = "announcement"
            job.audience = .object(["everyone": true])
            job.content = .object([
                "title": "An offer", "body": "Only today", "category": "YES_NO",
                "announcement": [
                    "format": "text", "title": "Ten percent", "body": "On all scarves", "action_label": "Buy",
                    "action_url": "app://shop", "exit_label": "Later",
                ],
            ])
            return job
        }

        private static var refresh: TestJob {
            var job = TestJob("refresh", [])
            (job.kind, job.audience) = ("data_push", ["everyone": true])
            job.content = ["data_push": ["encoding": "base64", "body": "AAEC"]]
            return job
        }

        private func register(
            _ phones: [(KitPhone, Plan)],
            _ server: String,
            _ shaky: String,
            key: String
        ) async throws {
            for (phone, plan) in phones {
                phone.hasPresenter = plan.hasPresenter
                (phone.notifier, phone.dataPushes) = (plan.notifier, plan.dataPushes)
                switch plan.deed {
                case .accepted(let end), .tapped(let end): phone.end = end
                default: break
                }
                try phone.start(plan.isOffline ? shaky : server, key: key)
            }
            try await eventually("all are registered", within: .seconds(120)) { phones.allSatisfy(\.0.isRegistered) }
            for (phone, plan) in phones where plan.isInFront { try phone.kit().didBecomeActive() }
            for (phone, _) in phones { try await phone.kit().settled() }
        }

        /// Delivers all at once, as after a real send.
        private func use(
            _ phones: [(KitPhone, Plan)],
            _ offers: [String: String],
            _ refreshes: [String: String]
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (phone, plan) in phones {
                    let (offer, refresh) = (try #require(offers[phone.token]), try #require(refreshes[phone.token]))
                    group.addTask { try await use(phone, plan, offer, refresh) }
                }
                try await group.waitForAll()
            }
        }

        private func use(_ phone: KitPhone, _ plan: Plan, _ payload: String, _ refresh: String) async throws {
            for _ in 0..<(plan.isTwice ? 2 : 1) {
                try await phone.received(refresh)
                try await phone.received(payload)
                if plan.isInFront { try await phone.displayed(payload) }
            }
            if plan.notifier == nil {
                try await answer(phone, plan, payload)
            } else {
                try await phone.kit().settled()
                answerInside(phone, plan)
            }
            guard plan.isKilled else { return }
            try await phone.kill()
        }

        /// Performs a person's action on the system's notification.
        private func answer(_ phone: KitPhone, _ plan: Plan, _ payload: String) async throws {
            switch plan.deed {
            case .nothing: break
            case .dismissed: try await phone.dismissed(payload)
            case .declined: try await phone.tapped(payload, button: "NO")
            case .accepted, .tapped:
                if !plan.isInFront { try phone.kit().didBecomeActive() }
                if case .accepted = plan.deed {
                    try await phone.tapped(payload, button: "YES")
                } else {
                    try await phone.tapped(payload)
                }
            }
        }

        /// Performs a person's action on the notification inside the app, all of whose buttons open the app.
        private func answerInside(_ phone: KitPhone, _ plan: Plan) {
            switch plan.deed {
            case .nothing, .declined: break
            case .dismissed: phone.told?.exited()
            case .accepted: phone.told?.actioned("YES")
            case .tapped: phone.told?.actioned()
            }
        }

        private func expect(
            _ funnel: ExpectedFunnel,
            of campaign: String,
            _ fleet: PrivateFleet,
            _ phones: [KitPhone]
        ) async throws {
            try await eventually("everything was sent", within: .seconds(120)) {
                for phone in phones where try await phone.kit().waitingEvents() != 0 { return false }
                return true
            }
            try await eventually("the queue is empty") { try await fleet.waitingTracking() == 0 }
            do {
                try await eventually("the funnel is what was done", within: .seconds(30)) {
                    funnel.differences(from: try await fleet.report(campaign)).isEmpty
                }
            } catch {
                #expect(funnel.differences(from: try await fleet.report(campaign)) == [])
                throw error
            }
        }
    }
}
