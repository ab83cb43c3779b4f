/// Parses HTTP/2 frames just far enough to answer every request, and prepares the answers.
///
/// A measuring aid, not a server: header blocks are not decoded, and only frame sizes are checked. The first byte of
/// the body distinguishes FCM's token endpoint from its messages: a form begins with `grant_type`, JSON does not.
struct BareFrames: ~Copyable {
    /// Frames to be sent, appended by ``receive(_:)``.
    private(set) var output: UnsafeMutableRawBufferPointer
    /// The number of bytes filled in ``output``.
    private(set) var outputCount = 0
    /// The counts since they were last taken.
    private var counts = BareCounts()
    /// True if the peer sent bytes that cannot be a frame of a sane client.
    private(set) var isBroken = false

    private var prefaceLeft = 24
    private var header: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0, 0, 0)
    private var headerCount = 0
    private var payloadLeft = 0
    private var ping: UInt64 = 0
    private var type: UInt8 = 0
    private var flags: UInt8 = 0
    private var streamID: UInt32 = 0
    private var consumed: UInt32 = 0
    private var requests = 0
    /// The first byte of the last DATA frame's payload.
    private var firstByte: UInt8 = 0
    private var isAtFirstByte = false
    /// The last stream that the GOAWAY named; later streams are ignored.
    private var lastStreamID: UInt32 = 0x7FFF_FFFF
    private let behaviour: BareBehaviour
    private let bodies: BareBodies

    /// The connection's window, opened at once and returned whenever half of it is used.
    private static let windowBytes: UInt32 = 1 << 30

    init(maxConcurrentStreams: UInt32, behaviour: BareBehaviour, bodies: BareBodies) {
        self.behaviour = behaviour
        self.bodies = bodies
        self.output = .allocate(byteCount: 65_536, alignment: 64)
        // SETTINGS: MAX_CONCURRENT_STREAMS (3), INITIAL_WINDOW_SIZE (4).
        self.begin(length: 12, type: 4, flags: 0, streamID: 0)
        self.append(UInt16(3))
        self.append(maxConcurrentStreams)
        self.append(UInt16(4))
        self.append(UInt32(1 << 20))
        self.windowUpdate(BareFrames.windowBytes - 65_535)
    }

    deinit { self.output.deallocate() }

    /// Discards the sent bytes.
    mutating func clearOutput() { self.outputCount = 0 }

    /// Returns the counts since the last call.
    mutating func takeCounts() -> BareCounts {
        defer { self.counts = BareCounts() }
        return self.counts
    }

    /// Processes plaintext and appends the answers to the output.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty && !self.isBroken {
            if self.prefaceLeft > 0 {
                let count = min(self.prefaceLeft, rest.count)
                self.prefaceLeft -= count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if self.headerCount < 9 {
                rest = self.takeHeader(rest)
            } else {
                rest = self.takePayload(rest)
            }
        }
    }

    private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = min(9 - self.headerCount, bytes.count)
        let start = self.headerCount
        withUnsafeMutableBytes(of: &self.header) { header in
            for index in 0..<count { header[start + index] = bytes[index] }
        }
        self.headerCount += count
        if self.headerCount == 9 { self.headerComplete() }
        return UnsafeRawBufferPointer(rebasing: bytes[count...])
    }

    private mutating func headerComplete() {
        withUnsafeBytes(of: self.header) { header in
            self.payloadLeft = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            self.type = header[3]
            self.flags = header[4]
            self.streamID = header.loadUnaligned(fromByteOffset: 5, as: UInt32.self).bigEndian & 0x7FFF_FFFF
        }
        self.isAtFirstByte = true
        // No frame may exceed 16 KB (RFC 9113 section 4.2), because our SETTINGS keep the default.
        self.isBroken = self.payloadLeft > 16_384
        if self.type == 0 { self.dataReceived(UInt32(self.payloadLeft)) }
        if self.payloadLeft == 0 { self.frameComplete() }
    }

    private mutating func takePayload(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = min(self.payloadLeft, bytes.count)
        if self.type == 0, self.isAtFirstByte { self.firstByte = bytes[0] }
        self.isAtFirstByte = false
        if self.type == 6 {
            for byte in bytes[..<count] { self.ping = self.ping << 8 | UInt64(byte) }
        }
        self.payloadLeft -= count
        if self.payloadLeft == 0 { self.frameComplete() }
        return UnsafeRawBufferPointer(rebasing: bytes[count...])
    }

    private mutating func frameComplete() {
        self.headerCount = 0
        switch self.type {
        // DATA or HEADERS with END_STREAM: the request is complete.
        case 0, 1:
            if self.flags & 1 != 0 { self.requestComplete() }
        case 4 where self.flags & 1 == 0: self.begin(length: 0, type: 4, flags: 1, streamID: 0)
        case 6 where self.flags & 1 == 0:
            self.begin(length: 8, type: 6, flags: 1, streamID: 0)
            self.append(UInt32(truncatingIfNeeded: self.ping >> 32))
            self.append(UInt32(truncatingIfNeeded: self.ping))
        default: return
        }
    }

    private mutating func requestComplete() {
        guard self.streamID <= self.lastStreamID else {
            self.counts.ignored += 1
            return
        }
        if let token = self.bodies.token, self.firstByte == UInt8(ascii: "g") {
            self.firstByte = 0
            self.counts.tokenFetches += 1
            return self.answer(status: 200, body: token)
        }
        self.requests += 1
        self.counts.answered += 1
        if self.behaviour.deadEvery > 0, self.requests % self.behaviour.deadEvery == 0 {
            self.counts.dead += 1
            self.answer(status: self.bodies.unregisteredStatus, body: self.bodies.unregistered)
        } else if self.behaviour.unavailableEvery > 0, self.requests % self.behaviour.unavailableEvery == 0 {
            self.counts.unavailable += 1
            self.answer(status: 503, body: self.bodies.serviceUnavailable)
        } else if !self.bodies.accepted.isEmpty {
            self.answer(status: 200, body: self.bodies.accepted)
        } else {
            // HEADERS with END_STREAM and END_HEADERS; the block is ":status: 200" of the static table.
            self.begin(length: 1, type: 1, flags: 5, streamID: self.streamID)
            self.append(UInt8(0x88))
        }
        if self.requests == self.behaviour.goAwayEvery { self.goAway() }
    }

    /// Appends HEADERS with END_HEADERS and the status, then DATA with END_STREAM.
    private mutating func answer(status: UInt16, body: [UInt8]) {
        if status == 200 {
            self.begin(length: 1, type: 1, flags: 4, streamID: self.streamID)
            self.append(UInt8(0x88))
        } else {
            self.begin(length: 5, type: 1, flags: 4, streamID: self.streamID)
            // RFC 7541, section 6.2.2: the name is entry 8 of the static table, the value three plain bytes.
            self.append(UInt16(0x0803))
            for digit in [status / 100, status / 10 % 10, status % 10] { self.append(UInt8(0x30 + digit)) }
        }
        self.begin(length: UInt16(body.count), type: 0, flags: 1, streamID: self.streamID)
        self.output[self.outputCount...].copyBytes(from: body)
        self.outputCount += body.count
    }

    /// Appends GOAWAY with NO_ERROR: later streams were not processed, earlier ones are still answered (RFC 9113, 6.8).
    private mutating func goAway() {
        self.counts.goAways += 1
        self.lastStreamID = self.streamID
        self.begin(length: 8, type: 7, flags: 0, streamID: 0)
        self.append(self.streamID)
        self.append(UInt32(0))
    }

    private mutating func dataReceived(_ count: UInt32) {
        self.consumed += count
        guard self.consumed >= BareFrames.windowBytes / 2 else { return }
        self.windowUpdate(self.consumed)
        self.consumed = 0
    }

    private mutating func windowUpdate(_ increment: UInt32) {
        self.begin(length: 4, type: 8, flags: 0, streamID: 0)
        self.append(increment)
    }

    private mutating func begin(length: UInt16, type: UInt8, flags: UInt8, streamID: UInt32) {
        self.grow(by: 9 + Int(length))
        self.append(UInt8(0))
        self.append(length)
        self.append(type)
        self.append(flags)
        self.append(streamID)
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        self.output.storeBytes(of: number.bigEndian, toByteOffset: self.outputCount, as: Number.self)
        self.outputCount += MemoryLayout<Number>.size
    }

    private mutating func grow(by count: Int) {
        guard self.outputCount + count > self.output.count else { return }
        let grown = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * self.output.count, alignment: 64)
        grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: self.output[..<self.outputCount]))
        self.output.deallocate()
        self.output = grown
    }
}

/// The bodies of all answers; APNs' timestamp is the server's start.
struct BareBodies: Sendable {
    /// The body of an acceptance; empty for APNs.
    let accepted: [UInt8]
    let unregistered: [UInt8]
    let unregisteredStatus: UInt16
    let serviceUnavailable: [UInt8]
    /// The answer of FCM's token endpoint; nil for APNs.
    let token: [UInt8]?

    /// Creates the bodies; `now` is in milliseconds since 1970, as Apple writes it.
    init(now: Int64, playsFCM: Bool) {
        guard playsFCM else {
            accepted = []
            unregistered = Array("{\"reason\":\"Unregistered\",\"timestamp\":\(now)}".utf8)
            unregisteredStatus = 410
            serviceUnavailable = Array(#"{"reason":"ServiceUnavailable"}"#.utf8)
            token = nil
            return
        }
        accepted = FCMAnswers.accepted(project: FCMAccess().project, id: "0:\(now)000%31bd1c9631bd1c96").body
        unregistered = FCMAnswers.answer(.unregistered).body
        unregisteredStatus = 404
        serviceUnavailable = FCMAnswers.answer(.unavailable).body
        // As long as Google's tokens; nobody checks it.
        let text = "ya29.c." + String(repeating: "fanfare-", count: 128)
        token = Array("{\"access_token\":\"\(text)\",\"expires_in\":3600,\"token_type\":\"Bearer\"}".utf8)
    }
}
