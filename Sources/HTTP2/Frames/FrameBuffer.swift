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

    init() { bytes = .allocate(byteCount: capacity, alignment: 16) }

    deinit { bytes.deallocate() }

    var isEmpty: Bool { start == end }

    /// Moves up to `count` bytes to `target`; returns the number moved.
    mutating func take(_ count: Int, to target: UnsafeMutableRawPointer) -> Int {
        let count = min(count, end - start)
        target.copyMemory(from: bytes + start, byteCount: count)
        start += count
        if isEmpty {
            start = 0
            end = 0
            acknowledgements = 0
        }
        return count
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        guard let base = piece.baseAddress else { return }
        reserve(piece.count).copyMemory(from: base, byteCount: piece.count)
    }

    mutating func append(_ header: FrameHeader) {
        header.write(to: reserve(FrameHeader.byteCount))
    }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        reserve(MemoryLayout<Number>.size).storeBytes(of: number.bigEndian, as: Number.self)
    }

    mutating func appendSettings(_ parameters: [(UInt16, UInt32)]) {
        append(FrameHeader(length: 6 * parameters.count, type: FrameType.settings, streamID: 0))
        for (name, value) in parameters {
            append(name)
            append(value)
        }
    }

    mutating func appendSettingsAcknowledgement() {
        acknowledgements += 1
        append(
            FrameHeader(length: 0, type: FrameType.settings, flags: FrameFlags.acknowledgement, streamID: 0)
        )
    }

    mutating func appendPing(_ opaque: UInt64, isAcknowledgement: Bool) {
        let flags = isAcknowledgement ? FrameFlags.acknowledgement : 0
        if isAcknowledgement { acknowledgements += 1 }
        append(FrameHeader(length: 8, type: FrameType.ping, flags: flags, streamID: 0))
        append(opaque)
    }

    mutating func appendWindowUpdate(_ streamID: Int32, _ increment: Int) {
        append(FrameHeader(length: 4, type: FrameType.windowUpdate, streamID: streamID))
        append(UInt32(increment))
    }

    mutating func appendReset(_ streamID: Int32, _ code: UInt32) {
        append(FrameHeader(length: 4, type: FrameType.resetStream, streamID: streamID))
        append(code)
    }

    /// Appends GOAWAY; a client's names no stream, because it has processed none of the server's.
    mutating func appendGoAway(_ code: UInt32) {
        append(FrameHeader(length: 8, type: FrameType.goAway, streamID: 0))
        append(UInt32(0))
        append(code)
    }

    /// Makes room for `count` bytes at the end.
    private mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if end + count > self.capacity {
            let held = end - start
            // Twice the need, so that moves to the front are rare.
            let capacity = max(self.capacity, 2 * (held + count))
            let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
            grown.copyMemory(from: bytes + start, byteCount: held)
            bytes.deallocate()
            bytes = grown
            self.capacity = capacity
            start = 0
            end = held
        }
        defer { end += count }
        return bytes + end
    }
}
