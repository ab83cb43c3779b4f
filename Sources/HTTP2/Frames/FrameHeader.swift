/// The nine bytes in front of each frame (RFC 9113 section 4.1).
struct FrameHeader {
    static let byteCount = 9
    /// The most payload bytes of a frame that a peer may send: our SETTINGS keep the default (RFC 9113 section 6.5.2).
    static let payloadBytesMax = 16_384

    /// The number of payload bytes, 0 to 2²⁴−1.
    var length: Int
    /// A ``FrameType``; a peer may send any value.
    var type: UInt8
    /// The ``FrameFlags``.
    var flags: UInt8
    /// The stream's id, 0 for the connection; the reserved bit is cleared.
    var streamID: Int32

    init(length: Int, type: UInt8, flags: UInt8 = 0, streamID: Int32) {
        self.length = length
        self.type = type
        self.flags = flags
        self.streamID = streamID
    }

    /// Reads nine bytes.
    init(at bytes: UnsafeRawPointer) {
        let front = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let last = bytes.load(fromByteOffset: 8, as: UInt8.self)
        length = Int(front >> 40)
        type = UInt8(truncatingIfNeeded: front >> 32)
        flags = UInt8(truncatingIfNeeded: front >> 24)
        streamID = Int32(truncatingIfNeeded: front << 8 & 0x7FFF_FF00) | Int32(last)
    }

    /// Writes nine bytes.
    func write(to bytes: UnsafeMutableRawPointer) {
        let id = UInt64(UInt32(bitPattern: streamID))
        let front = UInt64(length) << 40 | UInt64(type) << 32 | UInt64(flags) << 24 | id >> 8
        bytes.storeBytes(of: front.bigEndian, as: UInt64.self)
        bytes.storeBytes(of: UInt8(truncatingIfNeeded: id), toByteOffset: 8, as: UInt8.self)
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// The types of frames (RFC 9113 section 6).
enum FrameType {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let resetStream: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
}

/// The flags of frames (RFC 9113 section 6).
enum FrameFlags {
    static let endStream: UInt8 = 0x01
    static let acknowledgement: UInt8 = 0x01
    static let endHeaders: UInt8 = 0x04
    static let padded: UInt8 = 0x08
    static let priority: UInt8 = 0x20
}

/// The parameters of SETTINGS (RFC 9113 section 6.5.2).
enum SettingsParameter {
    static let headerTableSize: UInt16 = 1
    static let enablePush: UInt16 = 2
    static let maxConcurrentStreams: UInt16 = 3
    static let initialWindowSize: UInt16 = 4
    static let maxFrameSize: UInt16 = 5
    static let maxHeaderListSize: UInt16 = 6
}
