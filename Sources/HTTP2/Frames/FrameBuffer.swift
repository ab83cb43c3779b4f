/// Frames that are sent before any request: the preface, acknowledgements, window updates, resets, GOAWAY.
///
/// Bytes are taken from the front in pieces of any size; the buffer keeps its memory.
struct FrameBuffer: ~Copyable {
    private var bytes: UnsafeMutableRawPointer
    private var capacity = 1024
    private var start = 0
    private var end = 0
    /// The number of SETTINGS and PING acknowledgements that were not taken yet.
    private(set) var acknowledgements = 0

    init() { self.bytes = .allocate(byteCount: self.capacity, alignment: 16) }

    deinit { self.bytes.deallocate() }

    var isEmpty: Bool { self.start == self.end }

    /// Moves up to `count` bytes to `target`; returns the number moved.
    mutating func take(_ count: Int, to target: UnsafeMutableRawPointer) -> Int {
        let count = min(count, self.end - self.start)
        target.copyMemory(from: self.bytes + self.start, byteCount: count)
        self.start += count
        if self.isEmpty {
            self.start = 0
            self.end = 0
            self.acknowledgements = 0
        }
        return count
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        guard let base = piece.baseAddress else { return }
        self.reserve(piece.count).copyMemory(from: base, byteCount: piece.count)
    }

    mutating func append(_ header: FrameHeader) {
        header.write(to: self.reserve(FrameHeader.byteCount))
    }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        self.reserve(MemoryLayout<Number>.size).storeBytes(of: number.bigEndian, as: Number.self)
    }

    mutating func appendSettings(_ parameters: [(UInt16, UInt32)]) {
        self.append(FrameHeader(length: 6 * parameters.count, type: FrameType.settings, streamID: 0))
        for (name, value) in parameters {
            self.append(name)
            self.append(value)
        }
    }

    mutating func appendSettingsAcknowledgement() {
        self.acknowledgements += 1
        self.append(
            FrameHeader(length: 0, type: FrameType.settings, flags: FrameFlags.acknowledgement, streamID: 0)
        )
    }

    mutating func appendPing(_ opaque: UInt64, isAcknowledgement: Bool) {
        let flags = isAcknowledgement ? FrameFlags.acknowledgement : 0
        if isAcknowledgement { self.acknowledgements += 1 }
        self.append(FrameHeader(length: 8, type: FrameType.ping, flags: flags, streamID: 0))
        self.append(opaque)
    }

    mutating func appendWindowUpdate(_ streamID: Int32, _ increment: Int) {
        self.append(FrameHeader(length: 4, type: FrameType.windowUpdate, streamID: streamID))
        self.append(UInt32(increment))
    }

    mutating func appendReset(_ streamID: Int32, _ code: UInt32) {
        self.append(FrameHeader(length: 4, type: FrameType.resetStream, streamID: streamID))
        self.append(code)
    }

    /// Appends GOAWAY; a client's names no stream, because it has processed none of the server's.
    mutating func appendGoAway(_ code: UInt32) {
        self.append(FrameHeader(length: 8, type: FrameType.goAway, streamID: 0))
        self.append(UInt32(0))
        self.append(code)
    }

    /// Makes room for `count` bytes at the end.
    private mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if self.end + count > self.capacity {
            let held = self.end - self.start
            // Twice the need, so that moves to the front are rare.
            let capacity = max(self.capacity, 2 * (held + count))
            let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
            grown.copyMemory(from: self.bytes + self.start, byteCount: held)
            self.bytes.deallocate()
            self.bytes = grown
            self.capacity = capacity
            self.start = 0
            self.end = held
        }
        defer { self.end += count }
        return self.bytes + self.end
    }
}
