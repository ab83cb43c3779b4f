public import Delivery
public import NIOCore
import NIOHTTP1
public import TLS

/// Posts to one host over HTTP/1.1, one request after another on a connection that is kept open.
///
/// The host may be an arbitrary one: its addresses are checked before each connection, which goes to a checked address.
/// Redirects are not followed, and only an answer's status and `Retry-After` are kept. May be used from any task, by
/// one at a time.
public actor HTTP1Poster {
    /// The host that a poster sends to.
    public struct Destination: Sendable {
        /// A name, or an address without brackets; TLS verifies it.
        public var host: String
        /// The TCP port.
        public var port: Int
        /// The value of the `host` field.
        public var authority: String
        /// The TLS context; nil for plain TCP.
        public var tls: TLSClientContext?
        /// The addresses that a connection may go to.
        public var scope: AddressScope

        /// Creates a destination; `tls` must have been made without ALPN, which plain HTTP/1.1 servers need not
        /// support.
        public init(host: String, port: Int, authority: String, tls: TLSClientContext?, scope: AddressScope) {
            self.host = host
            self.port = port
            self.authority = authority
            self.tls = tls
            self.scope = scope
        }
    }

    /// The parts of an answer that are kept.
    public struct Answer: Sendable, Equatable {
        /// The status code.
        public var status: Int
        /// The value of the `retry-after` field as received; nil without one.
        public var retryAfter: [UInt8]?
    }

    /// The most body bytes that are read, and ignored, to reuse the connection.
    static let bodyMax = 65_536

    private let destination: Destination
    private let resolver: AddressResolver
    private let loop: any EventLoop
    private var connection: PostingConnection?

    /// Creates a poster without a connection.
    public init(_ destination: Destination, loop: any EventLoop, resolver: AddressResolver = .system) {
        self.destination = destination
        self.loop = loop
        self.resolver = resolver
    }

    /// Posts a body and returns the answer.
    ///
    /// `timeout` includes connecting. If the host has closed the connection since the last request, a new one is made.
    /// Throws when there is no answer; then it is unknown if the host has read the request.
    public func post(
        _ target: String,
        headers: [HTTP1Client.Header],
        body: [UInt8],
        timeout: Duration
    ) async throws(HTTP1Error) -> Answer {
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        var fields = HTTPHeaders([("host", destination.authority)])
        for header in headers { fields.add(name: header.name, value: header.value) }
        fields.add(name: "content-length", value: "\(body.count)")
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: target, headers: fields)
        if let connection, let answer = await connection.send(head, body, deadline) {
            return try keep(connection, answer)
        }
        let connection = try await connect(deadline)
        guard let answer = await connection.send(head, body, deadline) else {
            throw .unreachable("\(destination.host):\(destination.port) hung up before the request")
        }
        return try keep(connection, answer)
    }

    /// Closes the connection; a request in progress fails.
    public nonisolated func close() {
        Task { await drop() }
    }

    private func drop() async {
        connection?.close()
        connection = nil
    }

    private func keep(
        _ used: PostingConnection,
        _ result: Result<Answer, HTTP1Error>
    ) throws(HTTP1Error) -> Answer {
        connection = used
        if case .failure = result {
            used.close()
            connection = nil
        }
        return try result.get()
    }

    private func connect(_ deadline: NIODeadline) async throws(HTTP1Error) -> PostingConnection {
        connection?.close()
        connection = nil
        let peer = "\(destination.host):\(destination.port)"
        let addresses: [SocketAddress]
        do {
            addresses = try await lookUp(deadline).get()
        } catch {
            throw .unreachable(SocketErrorText.words(error))
        }
        let allowed = addresses.filter { destination.scope.allows($0.networkBytes) }
        guard !allowed.isEmpty else {
            throw .unreachable("\(peer) has no \(destination.scope.rawValue) address, so no connection is made")
        }
        var failure = HTTP1Error.unreachable("\(peer) is not reachable")
        var tries = AddressTries(count: allowed.count)
        while let next = tries.next(left: Duration(deadline - .now())) {
            switch await PostingConnection.open(allowed[next.index], destination, loop, AddressShare(next)) {
            case .success(let connection): return connection
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    /// Resolves the host until the deadline: a resolver may wait half a minute for a silent name server.
    private func lookUp(_ deadline: NIODeadline) -> EventLoopFuture<[SocketAddress]> {
        let found = loop.makePromise(of: [SocketAddress].self)
        let late = AddressResolver.Failure("cannot look up \(destination.host): no answer in time")
        let alarm = loop.scheduleTask(deadline: deadline) { found.fail(late) }
        resolver.resolve(destination.host, destination.port, loop).cascade(to: found)
        found.futureResult.whenComplete { _ in alarm.cancel() }
        return found.futureResult
    }
}
