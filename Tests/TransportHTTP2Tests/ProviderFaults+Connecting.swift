import Delivery
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Servers
import TLS
import Testing
import Transport

/// Certificates that must be refused, and names that lead nowhere.
extension ProviderFaults {
    enum Certificate: String, Sendable, CaseIterable {
        case ofAnotherHost, expired, selfSigned, ofAnotherAuthority

        func identity(_ authority: CertificateAuthority) throws -> CertificateAuthority.Identity {
            let other = try CertificateAuthority(commonName: "other")
            return switch self {
            case .ofAnotherHost: try authority.issueServer(names: ["api.push.example"], addresses: ["192.0.2.1"])
            case .expired: try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"], days: -1)
            case .selfSigned: try other.selfSigned()
            case .ofAnotherAuthority: try other.issueServer(names: ["localhost"], addresses: ["127.0.0.1"])
            }
        }

        /// The expected error text, in OpenSSL's words.
        var complaint: String {
            switch self {
            case .ofAnotherHost: "IP address mismatch"
            case .expired: "has expired"
            case .selfSigned: "self-signed certificate"
            case .ofAnotherAuthority: "unable to get local issuer certificate"
            }
        }
    }

    @Test(arguments: Certificate.allCases)
    func `P22: a certificate that does not verify is refused, and nothing goes over the wire`(
        certificate: Certificate
    )
        async throws
    {
        let bed = try Bed()
        let identity = try certificate.identity(bed.authority)
        let server = try TLSServerContext(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM
        )
        let peer = try await ScriptedPeer.start(on: bed.group, tls: server) { _, _ in }
        let outcome = try await bed.run(port: peer.port, requests: 1, untilFailure: true)
        guard case .connect(let text) = outcome.failures.first else {
            Issue.record("no failure: \(outcome.failures)")
            return
        }
        #expect(text.contains("does not verify"))
        #expect(text.contains(certificate.complaint), "\(text)")
        #expect(outcome.counters.opened == 0)
        #expect(peer.connections >= 1)
        #expect(peer.plaintextBytes == 0)
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P22: a server without h2 is refused, and nothing goes over the wire`() async throws {
        for protocols in [[], [ALPNProtocol("http/1.1")]] {
            let bed = try Bed(serverProtocols: protocols)
            let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { _, _ in }
            let outcome = try await bed.run(port: peer.port, requests: 1, untilFailure: true)
            guard case .connect = outcome.failures.first else {
                Issue.record("no failure: \(outcome.failures)")
                return
            }
            #expect(outcome.counters.opened == 0)
            #expect(peer.plaintextBytes == 0)
            try await peer.stop()
            try await bed.stop()
        }
    }

    @Test func `P23: a name without an address is looked up again, and then serves`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
        }
        let lookUps = NIOLockedValueBox(0)
        let resolver = AddressResolver { _, port, loop in
            let number = lookUps.withLockedValue { count in
                count += 1
                return count
            }
            switch number {
            case 1: return loop.makeFailedFuture(AddressResolver.Failure("no such host"))
            case 2: return loop.makeSucceededFuture([])
            default: return loop.makeCompletedFuture { [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 10, host: "localhost") {
            $0.resolver = resolver
            $0.connections.backoffBase = .milliseconds(10)
        }
        #expect(outcome.answered == 10)
        #expect(outcome.failures == [.resolution("no such host"), .resolution("localhost has no address")])
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P23: one dead address of several costs one attempt, and each connection looks the name up`()
        async throws
    {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
        }
        var deadFirst = 0
        for seed: UInt64 in 1...6 {
            let lookUps = NIOLockedValueBox(0)
            let resolver = AddressResolver { _, port, loop in
                lookUps.withLockedValue { $0 += 1 }
                // Nobody listens on the first one.
                return loop.makeCompletedFuture {
                    try ["127.0.0.2", "127.0.0.1"].map { try SocketAddress(ipAddress: $0, port: port) }
                }
            }
            let outcome = try await bed.run(port: remote.port, requests: 10, host: "localhost") {
                $0.resolver = resolver
                $0.seed = seed
                // An immediate second attempt shows that there is no backoff before every address had its turn.
                $0.connections.backoffBase = .seconds(30)
            }
            #expect(outcome.answered == 10)
            #expect(outcome.counters.connectFailures <= 1)
            #expect(UInt64(lookUps.withLockedValue { $0 }) == outcome.counters.connects)
            deadFirst += Int(outcome.counters.connectFailures)
        }
        #expect(deadFirst > 0, "the dead address was never tried")
        try await remote.stop()
        try await bed.stop()
    }

    @Test(arguments: BadAddress.Kind.allCases)
    func `P23: an address that is dead, silent or hangs up costs one attempt, and the other serves`(
        kind: BadAddress.Kind
    ) async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
        }
        let bad = try await BadAddress(kind)
        let good = try SocketAddress(ipAddress: "127.0.0.1", port: remote.port)
        let resolver = AddressResolver { _, _, loop in loop.makeSucceededFuture([bad.socket, good]) }
        var failures: UInt64 = 0
        // The seed determines which address is tried first.
        for seed: UInt64 in 1...8 where failures == 0 {
            let outcome = try await bed.run(port: remote.port, requests: 10, host: "localhost") {
                $0.resolver = resolver
                $0.seed = seed
                $0.connections.connectDeadline = .seconds(2)
                $0.connections.backoffBase = .seconds(30)
            }
            #expect(outcome.answered == 10)
            #expect(outcome.counters.connectFailures <= 1)
            failures = UInt64(outcome.counters.connectFailures)
        }
        #expect(failures == 1, "the bad address was never tried")
        try await bad.close()
        try await remote.stop()
        try await bed.stop()
    }
}
