import Campaigns
import Delivery
import Testing

/// The reasons of a campaign's state, from facts.
@Suite struct StateReasonTests {
    private let due = Timestamp(milliseconds: 1_795_204_510_000)
    private let bulk = Lane(provider: .fcm, urgency: .bulk)

    /// Returns the facts of a campaign that is being sent, whose devices are where `change` puts them.
    private func sending(_ change: (inout StateFacts) -> Void = { _ in }) -> StateFacts {
        var facts = StateFacts(app: "news", stage: .sending)
        facts.shares = [StateFacts.Share(lane: bulk)]
        change(&facts)
        return facts
    }

    private func codes(_ facts: StateFacts) -> [String] { StateReason.codes(StateReason.all(of: facts)) }
    private func text(_ facts: StateFacts) -> String? { StateReason.text(StateReason.all(of: facts)) }

    private func waits(_ devices: Int, _ reasons: [String: Int]) -> RetryWait {
        var wait = RetryWait()
        wait.add(devices, reasons: reasons, due: due)
        return wait
    }

    // MARK: - Live

    @Test func `a campaign of which something goes out has no reason`() {
        let moving = sending { $0.pending.sending = 10 }
        #expect(StateReason.all(of: moving).isEmpty)
        var measured = sending { $0.pending.queued = 10 }
        measured.rate = 1
        #expect(StateReason.all(of: measured).isEmpty)
    }

    @Test(arguments: [nil, 0, 1, 900])
    func `devices that are tried again are told beside those that go out`(rate: Int?) {
        let both = sending {
            $0.pending.sending = 500
            $0.pending.retrying = 10
            $0.retries = waits(10, ["TooManyRequests": 10])
            $0.rate = rate
        }
        #expect(codes(both).contains("throttled"))
        // Whatever else stands is no reason while something goes out.
        #expect(codes(both) == (rate == 0 ? ["unanswered", "throttled"] : ["throttled"]))
        #expect(text(both)?.hasSuffix("10 devices are tried again at \(due.rfc3339) after TooManyRequests") == true)
    }

    @Test(arguments: [CampaignStage.scheduled, .held, .planning])
    func `a campaign that has not begun has no reason of its own`(stage: CampaignStage) {
        var facts = StateFacts(app: "news", stage: stage)
        facts.pending.unplanned = 10
        facts.rate = 0
        #expect(StateReason.all(of: facts).isEmpty)
        facts.pausedBy = [.paused]
        #expect(codes(facts) == ["paused"])
    }

    @Test func `a campaign without pushes cannot stand`() {
        let facts = sending {
            $0.sendsPushes = false
            $0.pending.unplanned = 10
            $0.rate = 0
        }
        #expect(StateReason.all(of: facts).isEmpty)
    }

    @Test func `whenever nothing goes out and devices are pending, there is a reason`() {
        for place in 0..<6 {
            for other in 0..<6 {
                let facts = sending { facts in
                    for index in [place, other] {
                        switch index {
                        case 0: facts.pending.unplanned += 3
                        case 1: facts.pending.queued += 3
                        case 2: facts.pending.sending += 3
                        case 3:
                            facts.pending.retrying += 3
                            facts.retries += waits(3, ["Shutdown": 3])
                        case 4:
                            facts.pending.held += 3
                            facts.held[.suspect, default: 0] += 3
                        default: facts.pending.parked += 3
                        }
                    }
                    facts.rate = 0
                }
                #expect(!StateReason.all(of: facts).isEmpty, "\(facts.pending)")
            }
        }
    }

    @Test func `a pause says all; its words are its codes`() {
        let facts = sending {
            $0.pausedBy = [.paused, .breaker]
            $0.pending.held = 3
            $0.rate = 0
            $0.fleet.problems = [.brokerUnreachable("refused")]
        }
        #expect(text(facts) == "breaker, paused" && codes(facts) == ["breaker", "paused"])
        for reason in AsideReason.allCases {
            #expect(codes(sending { $0.pausedBy = [reason] }) == [reason.rawValue])
        }
    }

    @Test func `a campaign of which all is parked is parked; a part of it is told with the rest`() {
        #expect(text(sending { $0.pending.parked = 3 }) == "parked")
        let part = sending {
            $0.pending.parked = 3
            $0.pending.held = 1
            $0.held = [.suspect: 1]
        }
        #expect(text(part) == "1 device waits: suspect; 3 devices are parked: see fanfare parked list")
    }

    @Test func `without credentials nothing else matters; one provider's lack is told beside the others`() {
        let none = sending {
            $0.isAppServed = false
            $0.pending.queued = 3
            $0.rate = 0
        }
        #expect(text(none) == "no worker has credentials for news" && codes(none) == ["no_credentials"])
        let half = sending {
            $0.shares = [
                StateFacts.Share(lane: Lane(provider: .apns, urgency: .bulk), pausedBy: [.suspended]),
                StateFacts.Share(lane: bulk, isServed: false),
            ]
            $0.pending.sending = 3
        }
        #expect(text(half) == "apns waits: suspended; no worker has credentials for news (fcm)")
        #expect(codes(half) == ["suspended", "no_credentials"])
    }

    @Test func `what a share's pause holds is not told twice`() {
        let facts = sending {
            $0.shares[0].pausedBy = [.suspended]
            $0.pending.held = 3
            $0.held = [.suspended: 3]
        }
        #expect(text(facts) == "fcm waits: suspended")
    }

    @Test func `queues come before the devices' places, each only if the campaign needs it`() {
        func asked(_ change: (inout StateFacts.FleetState) -> Void) -> StateFacts {
            sending {
                $0.pending.queued = 3
                $0.rate = 0
                change(&$0.fleet)
            }
        }
        let queue = "fanfare.v1.work.fcm.bulk"
        #expect(codes(asked { $0.missing = [queue] }) == ["queues_missing"])
        #expect(text(asked { $0.missing = [queue] })?.contains("\(queue): run fanfare topology apply") == true)
        #expect(codes(asked { $0.idle = [queue] }) == ["no_consumer"])
        #expect(text(asked { $0.idle = [queue] })?.contains("nobody takes from \(queue)") == true)
        // Others' queues, and rungs without a device of this campaign, are no reason for it.
        #expect(codes(asked { $0.missing = ["fanfare.v1.work.apns.bulk", "fanfare.v1.retry.30s.a"] }) == ["queued"])
        let retrying = sending {
            $0.pending.retrying = 3
            $0.retries = waits(3, [:])
            $0.fleet.missing = ["fanfare.v1.retry.30s.a"]
        }
        #expect(codes(retrying) == ["queues_missing"])
    }

    @Test(arguments: [HealthProblem.Code.ledgerWrites, .brokerAlarm, .broker])
    func `problems of the fleet are reasons while nothing goes out`(code: HealthProblem.Code) {
        let problem = HealthProblem(code, of: "worker a", "it does not", remedy: "make it")
        let still = sending {
            $0.fleet.problems = [problem]
            $0.pending.queued = 3
            $0.rate = 0
        }
        #expect(codes(still) == [code.rawValue] && text(still) == "it does not: make it")
        var moving = still
        moving.rate = 20
        #expect(codes(moving).isEmpty)
    }

    @Test func `devices that wait for their time say until when`() {
        let local = sending {
            $0.pending.unplanned = 3
            $0.partsOpenAt = due
        }
        #expect(codes(local) == ["local_time"] && text(local)?.contains(due.rfc3339) == true)
        var quiet = local
        quiet.isQuiet = true
        #expect(codes(quiet) == ["quiet_hours"] && text(quiet) == "quiet hours until \(due.rfc3339)")
        let older = sending {
            $0.pending.unplanned = 3
            $0.isReleased = false
        }
        #expect(codes(older) == ["older_campaign"])
    }

    @Test func `devices under a rate name it, and unplanned ones behind them nothing else`() {
        let own = sending {
            $0.perSecond = 5
            $0.pending.queued = 10
            $0.pending.unplanned = 1000
            $0.waitingForTurn = 10
        }
        #expect(codes(own) == ["rate"] && text(own) == "it sends at its own rate of 5 a second")
        var others = own
        others.perSecond = nil
        #expect(text(others)?.contains("quota") == true)
        var queued = own
        queued.pending.queued = 12
        queued.rate = 0
        #expect(codes(queued) == ["rate", "queued"])
    }

    @Test func `places that a moment may change are a reason only once somebody has measured`() {
        let places: [(WritableKeyPath<PendingDevices, Int>, String)] = [
            (\.unplanned, "unplanned"), (\.queued, "queued"), (\.sending, "unanswered"),
        ]
        for (place, code) in places {
            var facts = sending { $0.pending[keyPath: place] = 3 }
            #expect(codes(facts).isEmpty)
            facts.rate = 0
            #expect(codes(facts) == [code])
        }
    }

    @Test func `a wait for another try names devices, instants and reasons; a provider's throttle has a code`() {
        let throttled = sending {
            $0.pending.retrying = 1958
            $0.retries = waits(1958, ["TooManyRequests": 1900, "ServiceUnavailable": 58])
        }
        #expect(codes(throttled) == ["throttled"])
        #expect(
            text(throttled)
                == "1,958 devices are tried again at \(due.rfc3339) after TooManyRequests, ServiceUnavailable"
        )
        var later = throttled
        later.retries.add(1, reasons: ["A": 1, "B": 1], due: due.advanced(by: .seconds(30)))
        #expect(text(later)?.contains("between \(due.rfc3339) and") == true)
        #expect(text(later)?.hasSuffix("after TooManyRequests, ServiceUnavailable, A and 1 other") == true)
        let unknown = sending {
            $0.pending.retrying = 1
            $0.retries.add(1, reasons: [:], due: nil)
        }
        #expect(codes(unknown) == ["retry"] && text(unknown) == "1 device is tried again")
    }

    @Test(arguments: ["TooManyRequests", "QUOTA_EXCEEDED project", "RESOURCE_EXHAUSTED", "Status429"])
    func `providers' words for too many requests are known`(word: String) {
        #expect(waits(3, [word: 2, "Shutdown": 1]).isThrottled)
        #expect(!waits(3, [word: 1, "Shutdown": 2]).isThrottled)
    }

    @Test func `a guard that holds devices back is the reason also for those behind it`() {
        let facts = sending {
            $0.pending.held = 20
            $0.pending.unplanned = 4000
            $0.held = [.guard: 20]
        }
        #expect(codes(facts) == ["guard"])
    }

    // MARK: - Ended

    private func ended(_ stage: CampaignStage = .completed, _ change: (inout StateFacts.End) -> Void) -> StateFacts {
        var facts = StateFacts(app: "news", stage: stage)
        var end = StateFacts.End(expiresAt: due)
        change(&end)
        facts.end = end
        return facts
    }

    @Test func `a campaign that has sent to all has nothing to say`() {
        #expect(StateReason.all(of: ended { $0.counts.accepted = 9 }).isEmpty)
    }

    @Test func `why devices expired`() {
        let end = "expired: the end at \(due.rfc3339) came before"
        let retried = ended {
            $0.counts.expired = 18_500
            $0.expired = ["TooManyRequests": 18_500]
        }
        #expect(codes(retried) == ["expired"])
        #expect(text(retried) == "18,500 devices \(end) another try after TooManyRequests")
        let both = ended {
            $0.counts.expired = 20_500
            $0.expired = ["TooManyRequests": 18_500]
            $0.pausedBy = ["breaker"]
        }
        let tries = "another try of 18,500 after TooManyRequests, and before the first of 2,000 (breaker)"
        #expect(text(both) == "20,500 devices \(end) \(tries)")
        let untried = ended { $0.counts.expired = 1 }
        #expect(text(untried) == "1 device \(end) their first try")
        // More reasons than devices are an error of ours, and no reason to count more devices than there are.
        let few = ended {
            $0.counts.expired = 3
            $0.expired = ["Shutdown": 9]
        }
        #expect(text(few) == "3 devices \(end) another try after Shutdown")
    }

    @Test func `cancelled, superseded, failed and never fired`() {
        let cancelled = ended(.cancelled) { $0.cancelledBy = "ana" }
        #expect(text(cancelled) == "by ana" && codes(cancelled) == ["cancelled"])
        #expect(StateReason.all(of: ended(.cancelled) { _ in }).isEmpty)
        let superseded = ended {
            $0.counts.superseded = 300
            $0.supersededBy = "derby-2"
        }
        #expect(text(superseded) == "300 devices were superseded by derby-2" && codes(superseded) == ["superseded"])
        #expect(text(ended(.failed) { $0.failure = "the audience is empty" }) == "the audience is empty")
        let unfired = ended {
            $0.isUnfired = true
            $0.counts.expired = 3000
        }
        #expect(text(unfired) == "it was never fired" && codes(unfired) == ["never_fired"])
    }
}
