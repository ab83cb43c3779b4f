import Delivery
import Testing

@Suite struct HostRoundsTests {
    private static let hosts = ["rabbit-1:5672", "rabbit-2:5672", "rabbit-3:5672"]

    private static func order(_ hosts: [String], _ seed: String) -> [String] {
        var rounds = HostRounds(hosts: hosts, seed: seed)
        return hosts.indices.map { _ in
            defer { _ = rounds.failed(now: .zero) }
            return hosts[rounds.next(now: .zero)]
        }
    }

    @Test func `workers spread over the nodes, and those of a node that fails over the others`() {
        let orders = (0..<600).map { Self.order(Self.hosts, "host.\($0) consumer") }
        for (order, count) in Dictionary(grouping: orders, by: \.self).mapValues(\.count) {
            #expect((60...140).contains(count), "\(order) for \(count) of 600")
        }
        #expect(Set(orders).count == 6)
        #expect(orders.allSatisfy { Set($0) == Set(Self.hosts) })
    }

    @Test func `a host that is removed, or named in another place, leaves the order of the others`() {
        for seed in (0..<50).map({ "host.\($0) consumer" }) {
            let order = Self.order(Self.hosts, seed)
            #expect(Self.order(Self.hosts.reversed(), seed) == order)
            #expect(Self.order([Self.hosts[0], Self.hosts[2]], seed) == order.filter { $0 != Self.hosts[1] })
        }
    }

    @Test func `each host is tried once in a round, which ends with a wait that counts its rounds and its time`() {
        var rounds = HostRounds(hosts: Self.hosts, seed: "a")
        var tried: [Int] = []
        let tries: [(began: Int, ended: Int, HostRounds.Step)] = [
            // The third one of the first round is silent for five seconds.
            (0, 0, .nextHost), (0, 1, .nextHost), (1, 6, .wait(rounds: 1, took: .seconds(6))),
            (8, 8, .nextHost), (9, 9, .nextHost), (9, 10, .wait(rounds: 2, took: .seconds(2))),
        ]
        for (began, ended, step) in tries {
            tried.append(rounds.next(now: .seconds(began)))
            #expect(rounds.failed(now: .seconds(ended)) == step)
        }
        #expect(Set(tried[0..<3]).count == 3)
        #expect(tried[3..<6] == tried[0..<3])
    }

    @Test func `a host that worked and went away is tried last, and its good time is no part of the round`() {
        var rounds = HostRounds(hosts: Self.hosts, seed: "a")
        let first = rounds.next(now: .zero)
        rounds.worked()
        #expect(rounds.failed(now: .seconds(3600)) == .nextHost)
        #expect(rounds.next(now: .seconds(3600)) != first)
        #expect(rounds.failed(now: .seconds(3601)) == .nextHost)
        #expect(rounds.next(now: .seconds(3601)) != first)
        #expect(rounds.failed(now: .seconds(3602)) == .wait(rounds: 1, took: .seconds(2)))
        #expect(rounds.next(now: .seconds(3603)) == first)
    }

    @Test func `a connection that works begins the count of rounds anew`() {
        var rounds = HostRounds(hosts: ["rabbit:5672"], seed: "a")
        for round in 1...5 {
            #expect(rounds.next(now: .zero) == 0)
            #expect(rounds.failed(now: .zero) == .wait(rounds: round, took: .zero))
        }
        #expect(rounds.next(now: .zero) == 0)
        rounds.worked()
        #expect(rounds.failed(now: .zero) == .wait(rounds: 1, took: .zero))
    }
}
