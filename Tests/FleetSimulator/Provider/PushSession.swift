import HTTP2

/// One connection of a client at the push service.
final class PushSession: SimulatedSession {
    private unowned let service: PushService
    private let connection: SimulatedConnection
    private let http: HTTP2ServerSession
    private var isOver = false
    /// The requests that were judged and wait for their answer.
    private var waiting: Set<Int32> = []
    /// The streams as their frames pass the client, and the answers on their way.
    private var requests = StreamInstants(isClient: true)
    private var answers = StreamInstants(isClient: false)
    private var underWay: [Int32: (push: ObservedPush, status: Int)] = [:]
    /// The highest stream that a GOAWAY left.
    private var lastStream = Int32.max

    init(_ connection: SimulatedConnection, service: PushService) {
        self.connection = connection
        self.service = service
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = service.streamsMax
        do {
            http = try HTTP2ServerSession(configuration: configuration)
        } catch {
            preconditionFailure("nghttp2 makes no session: \(error)")
        }
        service.host.scheduler.add({ self.flush() }, to: service.runQueue)
    }

    func received(_ bytes: [UInt8]) {
        guard !isOver else { return }
        attempt { try bytes.withUnsafeBytes { try http.receive($0) } }
        http.takeRequests { judge($0) }
        flush()
    }

    func written(_ bytes: [UInt8]) {
        for _ in requests.read(bytes, at: service.host.scheduler.now) { service.streamOpened(connection.client) }
    }

    func read(_ bytes: [UInt8]) {
        for stream in answers.read(bytes, at: service.host.scheduler.now) {
            if let answer = underWay.removeValue(forKey: stream) { service.answerArrived(answer.push, answer.status) }
        }
    }

    func ended() {
        isOver = true
        service.forget(self)
    }

    /// Runs a step of the session; an error of the client ends the connection.
    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            service.faulted("\(error)")
            hangUp()
        }
    }

    private func hangUp() {
        guard !isOver else { return }
        ended()
        connection.close(from: .server)
    }

    private func flush() {
        guard !isOver else { return }
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 15_000 + HTTP2ServerSession.frameBytesMax,
            alignment: 8
        )
        defer { room.deallocate() }
        var bytes: [UInt8] = []
        attempt {
            while case let count = try http.drain(into: room, threshold: 15_000), count > 0 {
                bytes += UnsafeRawBufferPointer(rebasing: room[..<count])
            }
        }
        if !bytes.isEmpty { connection.send(bytes, from: .server) }
        if http.isFinished { hangUp() }
    }

    // MARK: - Requests

    private func judge(_ request: borrowing IncomingRequest) {
        let stream = request.streamID
        guard stream <= lastStream else { return }
        let path = request.withValue(of: ":path") { String(decoding: $0, as: UTF8.self) } ?? ""
        let id = request.withValue(of: "apns-id") { String(decoding: $0, as: UTF8.self) } ?? ""
        // Tokens are hexadecimal and longer than a number; their ends differ.
        guard let device = path.split(separator: "/").last.flatMap({ Int($0.suffix(8), radix: 16) }), !id.isEmpty else {
            return attempt { try http.respond(streamID: stream, status: 400) }
        }
        if service.mood == .refusing {
            service.trace.note("provider", "refuses \(id)")
            return attempt { try http.reset(streamID: stream, code: HTTP2ErrorCode.refusedStream) }
        }
        let push = ObservedPush(
            id: id,
            device: device,
            campaign: Self.campaign(request.body),
            worker: connection.client,
            openedAt: requests.instants[stream] ?? 0
        )
        service.processed(push)
        let (mood, status) = (service.mood, service.status(of: device))
        waiting.insert(stream)
        guard mood != .silent else { return }
        service.host.schedule(after: service.answerTime(), on: service.runQueue) { [weak self] in
            self?.answer(stream, push, status, mood)
        }
    }

    /// Returns the number behind the words of a campaign's title; nil without them.
    private static func campaign(_ body: [UInt8]) -> Int? {
        let text = String(decoding: body, as: UTF8.self)
        guard let title = text.firstRange(of: FleetCampaign.title) else { return nil }
        return Int(text[title.upperBound...].prefix(while: \.isNumber))
    }

    private func answer(_ stream: Int32, _ push: ObservedPush, _ status: Int, _ mood: PushService.Mood) {
        guard !isOver, waiting.remove(stream) != nil else { return }
        switch mood {
        case .resetting: attempt { try http.reset(streamID: stream, code: HTTP2ErrorCode.internalError) }
        case .garbled:
            connection.send([UInt8](repeating: 0xFF, count: 64), from: .server)
            return hangUp()
        default:
            service.answered(push, status)
            underWay[stream] = (push, status)
            let fields = [HeaderField("apns-id", push.id)]
            attempt { try http.respond(streamID: stream, status: status, fields: fields) }
        }
        flush()
    }

    // MARK: - Moods of the connection

    /// Sends GOAWAY; of the requests without an answer, only the first few are processed to their end.
    ///
    /// A request that was judged has been processed, so the last stream is never below it.
    func leave(keeping count: Int) {
        guard !isOver else { return }
        lastStream = min(lastStream, max(waiting.max() ?? 0, Int32(2 * count - 1), 0))
        attempt { try http.goAway(lastStreamID: lastStream) }
        flush()
    }

    func allow(_ streams: UInt32) {
        guard !isOver else { return }
        attempt { try http.changeMaxConcurrentStreams(streams) }
        flush()
    }
}
