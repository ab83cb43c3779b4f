import NIOCore
import NIOPosix
import Testing

@testable import Bench

/// The relay of the bench, which holds each byte back.
@Suite(.timeLimit(.minutes(1))) struct DelayRelayTests {
    /// Sends back what it receives.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(data, promise: nil)
        }
    }

    @Test func `a client that speaks first has its answer through the relay, and not before both delays`() async throws
    {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let relay = try await DelayRelay.start(to: "127.0.0.1", port: port, delay: .milliseconds(20))
        let client = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: relay.port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        let answer = try await client.executeThenClose { inbound, outbound in
            let began = ContinuousClock.now
            try await outbound.write(ByteBuffer(string: "ping"))
            var answers = inbound.makeAsyncIterator()
            let answer = try await answers.next()
            #expect(ContinuousClock.now - began >= .milliseconds(40))
            return answer
        }
        #expect(answer.map { String(buffer: $0) } == "ping")
        try await relay.close()
        try await server.close()
    }
}
