import Delivery
import Testing
import Transport

/// Hosts that strangers name: their addresses are checked before each connection.
extension ProviderFaults {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a host within our own network is not connected to, by its address or by its name`(
        host: String
    ) async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { _, _ in }
        let outcome = try await bed.run(port: peer.port, requests: 1, host: host, untilFailure: true) {
            $0.scope = .global
        }
        #expect(outcome.failures.first == .outOfScope("\(host) has no global address"))
        #expect(outcome.counters.opened == 0)
        #expect(peer.connections == 0)
        try await peer.stop()
        try await bed.stop()
    }
}
