import Campaigns
import Foundation
import NIOCore
import NIOPosix
import Servers
import Store
import Testing
import Transport

@testable import fanfare

extension EndToEnd {
    /// Names that resolve to several addresses, for the built program and for the phone on the command line.
    @Suite("Names with several addresses")
    struct Names {
        /// Debian's own /etc/hosts has these two lines; servers that listen only on 127.0.0.1 refuse on the other
        /// address.
        private static let hosts = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"

        @Test(.enabled(if: FanfareProcess.canSeeOtherHosts))
        func `with Debian's own hosts a fleet whose servers are all named localhost sends a campaign`() async throws {
            try await PrivateFleet.with { fleet in
                let node = try await PrivateBroker.node()
                let hosts = fleet.folder + "/hosts"
                try Data(Self.hosts.utf8).write(to: URL(fileURLWithPath: hosts))
                for name in ["fanfare.yaml", "apps.yaml"] {
                    let path = "\(fleet.folder)/\(name)"
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                        .replacingOccurrences(of: "127.0.0.1", with: "localhost")
                    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                }
                let arguments = ["topology", "diff", "--config", "fanfare.yaml"]
                let told = try await FanfareProcess.run(arguments, folder: fleet.folder, hosts: hosts)
                #expect(told.exit == 0, "\(told.output)\(told.errors)")
                _ = try await fleet.startWorker(hosts: hosts)
                try await fleet.publish(TestJob("derby", TestDevices.tokens(500)))
                #expect(try await fleet.completed("derby").counts.accepted == 500)
                // Over TLS too, by the certificate's name.
                let url = "amqps://guest:guest@localhost:\(node.securePort)/\(fleet.endpoint.virtualHost)"
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "\(url)?cacertfile=\(node.certificatePath)",
                    managementPort: node.managementPort
                )
                _ = try await fleet.startWorker(hosts: hosts)
                try await fleet.publish(TestJob("final", TestDevices.tokens(500)))
                #expect(try await fleet.completed("final").counts.accepted == 500)
            }
        }

        @Test(arguments: [BadAddress.Kind.refused, .refusedIPv6, .unanswered])
        func `a phone's network leads to the address that serves`(kind: BadAddress.Kind) async throws {
            let server = try await ServerBootstrap(group: PrivateBroker.loop)
                .childChannelInitializer { $0.pipeline.addHandler(Welcoming()) }
                .bind(host: "127.0.0.1", port: 0).get()
            let bad = try await BadAddress(kind)
            let good = try SocketAddress(ipAddress: "127.0.0.1", port: server.localAddress?.port ?? 0)
            let resolver = AddressResolver { _, _, loop in loop.makeSucceededFuture([bad.socket, good]) }
            let network = try await PhoneNetwork(host: "edge.test", port: 443, resolver: resolver)
            let heard = PrivateBroker.loop.makePromise(of: String.self)
            let channel = try await ClientBootstrap(group: PrivateBroker.loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Hearing(heard))
                    }
                }
                .connect(host: "127.0.0.1", port: network.port).get()
            #expect(try await heard.futureResult.get() == "welcome")
            try? await channel.close()
            try await bad.close()
            try await server.close()
        }
    }
}

/// Records the received bytes until the peer closes.
private final class Hearing: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let heard: EventLoopPromise<String>
    private var text = ""

    init(_ heard: EventLoopPromise<String>) {
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) { heard.succeed(text) }
}

/// Sends first, so that a lost first byte would show, and closes.
private final class Welcoming: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "welcome")), promise: nil)
        context.close(promise: nil)
    }
}
