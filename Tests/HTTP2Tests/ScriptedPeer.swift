@testable import HTTP2

/// A server of raw frames: sends exactly what a test specifies, and parses the client's frames.
final class ScriptedPeer {
    let client: HTTP2ClientSession
    var ends: [HTTP2Pair.End] = []
    private var decoder: HeaderDecoder
    private var hasPreface = false

    /// A frame of the client.
    struct Frame: Equatable {
        var type: UInt8
        var flags: UInt8
        var stream: Int32
        var payload: [UInt8]
    }

    init(_ configuration: HTTP2ClientSession.Configuration = .init(), settings: [(UInt16, UInt32)] = []) throws {
        self.client = try HTTP2ClientSession(configuration: configuration)
        self.decoder = try HeaderDecoder()
        try self.say(ScriptedPeer.settings(settings))
        _ = self.hear()
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        let head = [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
        return head + ScriptedPeer.bytes(stream) + payload
    }

    static func settings(_ parameters: [(UInt16, UInt32)]) -> [UInt8] {
        let payload = parameters.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + ScriptedPeer.bytes($0.1) }
        return ScriptedPeer.frame(FrameType.settings, payload)
    }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        ScriptedPeer.frame(FrameType.windowUpdate, stream: stream, ScriptedPeer.bytes(increment))
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns a literal field without indexing.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        var bytes: [UInt8] = []
        HPACKBytes.appendName(Array(name.utf8), index: nil, .withoutIndexing, to: &bytes)
        HPACKBytes.appendString(Array(value.utf8), to: &bytes)
        return bytes
    }

    func say(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try self.client.receive($0) }
        self.collectEnds()
    }

    func collectEnds() {
        self.client.takeEnded { self.ends.append(HTTP2Pair.keep($0)) }
    }

    func submit(tag: UInt64, body: [UInt8] = Array("{}".utf8), at now: Int64 = 0) throws {
        _ = try self.client.submit(now: now) { request in
            request.tag = tag
            request.setHeaders(HTTP2Pair.headers)
            Array("/3/device/\(tag)".utf8).withUnsafeBytes { request.setPath($0) }
            Array("id-\(tag)".utf8).withUnsafeBytes { request.setPerRequestValue($0) }
            body.withUnsafeBytes { request.setBody($0) }
            return true
        }
    }

    /// Returns the frames that the client sends now.
    func hear(threshold: Int = 15_000) -> [Frame] {
        var bytes = HTTP2Pair.output { self.client.drain(into: $0, threshold: threshold) }
        if !self.hasPreface {
            self.hasPreface = true
            precondition(bytes.prefix(24).elementsEqual("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
            bytes.removeFirst(24)
        }
        var frames: [Frame] = []
        while let header = bytes.withUnsafeBytes({ $0.baseAddress.map(FrameHeader.init(at:)) }), !bytes.isEmpty {
            let payload = Array(bytes[9..<(9 + header.length)])
            frames.append(
                Frame(type: header.type, flags: header.flags, stream: header.streamID, payload: payload)
            )
            bytes.removeFirst(9 + header.length)
        }
        return frames
    }

    /// Returns the fields of a header block, decoded by nghttp2 with the connection's table.
    func decode(_ block: [UInt8]) throws -> [HeaderField] {
        try block.withUnsafeBytes { bytes -> [HeaderField] in
            var fields: [HeaderField] = []
            var rest = bytes
            while case .field(let name, let value) = try self.decoder.next(&rest, isLast: true) {
                fields.append(HeaderField(name: Array(name), value: Array(value)))
            }
            return fields
        }
    }
}
