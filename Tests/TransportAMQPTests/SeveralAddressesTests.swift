import Delivery
import Foundation
import NIOCore
import NIOPosix
import Servers
import TLS
import Testing
import Transport

extension RealBroker {
    /// A name with several addresses, of which only the last one serves: every kind of connection reaches it.
    @Suite("A name with several addresses")
    struct SeveralAddresses {
        /// Returns a resolver that maps every name to the bad addresses, then the good one.
        private static func resolver(_ bad: [BadAddress], then port: Int) throws -> AddressResolver {
            let good = try SocketAddress(ipAddress: "127.0.0.1", port: port)
            return AddressResolver { _, _, loop in loop.makeSucceededFuture(bad.map(\.socket) + [good]) }
        }

        /// Tries each kind of bad address, all at once, because a silent one takes its share of the time.
        private static func each(
            _ kinds: [BadAddress.Kind] = BadAddress.Kind.allCases,
            _ body: @escaping @Sendable (BadAddress) async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for kind in kinds {
                    group.addTask {
                        let bad = try await BadAddress(kind)
                        do {
                            try await body(bad)
                        } catch {
                            Issue.record("\(kind): \(error)")
                        }
                        try await bad.close()
                    }
                }
                try await group.waitForAll()
            }
        }

        /// The kinds by which a plain connection can be judged: a peer that accepts it is the one that answers.
        private static let unlessMute = BadAddress.Kind.allCases.filter { $0 != .mute && $0 != .hangingUp }

        @Test func `AMQP logs in at the address that serves`() async throws {
            let node = try await RealBroker.shared.node()
            let endpoint = try AMQPEndpoint(parsing: "amqp://guest:guest@broker.test:\(node.port)")
            try await Self.each { bad in
                let resolver = try Self.resolver([bad], then: node.port)
                let client = try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop, resolver: resolver)
                #expect(try await client.counts(of: "test.none") == nil)
                await client.close()
            }
        }

        @Test func `AMQPS shakes hands and logs in at the address that serves`() async throws {
            let node = try await RealBroker.shared.node()
            let url = "amqps://guest:guest@localhost:\(node.securePort)?cacertfile=\(node.certificatePath)"
            let endpoint = try AMQPEndpoint(parsing: url)
            try await Self.each { bad in
                let resolver = try Self.resolver([bad], then: node.securePort)
                let client = try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop, resolver: resolver)
                #expect(try await client.counts(of: "test.none") == nil)
                await client.close()
            }
        }

        @Test func `a wrong password is told by the first address that says so, and tried at no other`() async throws {
            let node = try await RealBroker.shared.node()
            let endpoint = try AMQPEndpoint(parsing: "amqp://guest:hunter2@broker.test:\(node.port)")
            let bad = try await BadAddress(.refused)
            let good = try SocketAddress(ipAddress: "127.0.0.1", port: node.port)
            let resolver = AddressResolver { _, _, loop in loop.makeSucceededFuture([good, bad.socket]) }
            let error = await #expect(throws: AMQPConnectError.self) {
                try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop, resolver: resolver)
            }
            #expect(error?.kind == .wrongPassword)
        }

        @Test func `when none serves, the failure that says most is told`() async throws {
            let node = try await RealBroker.shared.node()
            // HTTP instead of AMQP: a wrong port is a more useful error than the other address's refusal.
            let server = try await ServerBootstrap(group: Broker.loop)
                .childChannelInitializer { $0.pipeline.addHandler(Greeter("HTTP/1.1 400 Bad Request\r\n\r\n")) }
                .bind(host: "127.0.0.1", port: 0).get()
            let wrong = try SocketAddress(ipAddress: "127.0.0.1", port: server.localAddress?.port ?? 0)
            let bad = try await BadAddress(.refused)
            let endpoint = try AMQPEndpoint(parsing: "amqp://guest:guest@broker.test:\(node.port)")
            func failure(_ addresses: [SocketAddress]) async -> AMQPConnectError? {
                let resolver = AddressResolver { _, _, loop in loop.makeSucceededFuture(addresses) }
                return await #expect(throws: AMQPConnectError.self) {
                    try await AMQPClient.connect(endpoint, name: "test", on: Broker.loop, resolver: resolver)
                }
            }
            #expect(await failure([wrong, bad.socket])?.kind == .notAMQP)
            #expect(await failure([bad.socket, bad.socket])?.description.hasSuffix("connection refused") == true)
            #expect(await failure([])?.description.hasSuffix("broker.test has no address") == true)
            try await server.close()
        }

        @Test func `HTTP/1.1 of the management API and of spans asks the address that serves`() async throws {
            let port = try await RealBroker.shared.node().managementPort
            try await Self.each(Self.unlessMute) { bad in
                let resolver = try Self.resolver([bad], then: port)
                let client = HTTP1Client(host: "broker.test", port: port, loop: Broker.loop, resolver: resolver)
                #expect(try await client.send("GET", "/api/overview").status == 401)
            }
        }

        @Test func `a webhook is posted to the address that serves, also over TLS where the first one is silent`()
            async throws
        {
            let node = try await RealBroker.shared.node()
            let receiver = try await WebhookReceiver(
                secret: "whsec_bm9ib2R5J3Mgc2VjcmV0",
                certificate: node.certificatePath,
                key: node.folder.appendingPathComponent("key.pem").path
            )
            let authority = try String(contentsOfFile: node.certificatePath, encoding: .utf8)
            let tls = try TLSClientContext(
                trust: .authorities(pem: Array(authority.utf8), source: "test"),
                protocols: []
            )
            let plain = node.managementPort
            try await Self.each(Self.unlessMute) { bad in
                try await Self.post(nil, plain, try Self.resolver([bad], then: plain), expecting: 405)
            }
            try await Self.each { bad in
                try await Self.post(tls, receiver.port, try Self.resolver([bad], then: receiver.port), expecting: 204)
            }
            #expect(receiver.requests.count == BadAddress.Kind.allCases.count)
            receiver.stop()
        }

        private static func post(
            _ tls: TLSClientContext?,
            _ port: Int,
            _ resolver: AddressResolver,
            expecting status: Int
        ) async throws {
            let destination = HTTP1Poster.Destination(
                host: "localhost",
                port: port,
                authority: "localhost",
                tls: tls,
                scope: .loopback
            )
            let poster = HTTP1Poster(destination, loop: Broker.loop, resolver: resolver)
            defer { poster.close() }
            let answer = try await poster.post("/in", headers: [], body: Array("{}".utf8), timeout: .seconds(10))
            #expect(answer.status == status)
        }

        @Test func `the system's resolver tells each address of a name once`() async throws {
            let found = try await AddressResolver.fleet.resolve("localhost", 5672, Broker.loop).get()
            #expect(found.contains { $0.ipAddress == "127.0.0.1" })
            #expect(Set(found).count == found.count && found.allSatisfy { $0.port == 5672 })
        }
    }
}
