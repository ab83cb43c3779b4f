import NIOCore
import NIOHTTP1
import Synchronization

/// An HTTP/1.1 connection to the probes' address, confined to its loop.
final class ProbeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answers: ProbeAnswers
    private var head: HTTPRequestHead?

    init(answers: ProbeAnswers) {
        self.answers = answers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: context.close(promise: nil)  // no path here takes a body
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.method == .GET || head.method == .HEAD else {
            let answer = ProbeAnswer(status: .methodNotAllowed, text: "only GET and HEAD\n")
            return send(answer, to: head, [("allow", "GET, HEAD")], context)
        }
        let path = String(head.uri.prefix { $0 != "?" })
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answers.answer(path, on: context.eventLoop).whenSuccess { answer in
            let (handler, context) = bound.value
            handler.send(answer, to: head, [], context)
        }
    }

    private func send(
        _ answer: ProbeAnswer,
        to head: HTTPRequestHead,
        _ more: [(String, String)],
        _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive else { return }
        let buffer = context.channel.allocator.buffer(string: answer.text)
        let headers = HTTPHeaders(
            [
                ("content-type", answer.contentType), ("content-length", "\(buffer.readableBytes)"),
                ("cache-control", "no-store"),
            ] + more
        )
        let response = HTTPResponseHead(version: head.version, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// The number of open connections; may be used from any thread.
final class ConnectionCount: Sendable {
    private let open = Atomic(0)

    /// Adds a connection and returns true, unless there are `most` already.
    func add(most: Int) -> Bool {
        if open.add(1, ordering: .relaxed).newValue <= most { return true }
        remove()
        return false
    }

    func remove() { open.subtract(1, ordering: .relaxed) }
}
