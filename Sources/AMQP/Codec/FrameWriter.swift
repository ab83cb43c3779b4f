import CRabbitMQ

/// Collects frames to be sent; each frame is either written whole or not at all.
struct FrameWriter {
    private(set) var output: [UInt8] = []
    /// The largest frame that the peer accepts, including its 8 bytes of frame header and end mark.
    var frameMax = 4096
    let pool: CodecPool

    mutating func clear() {
        // A burst must not keep its memory forever.
        output.removeAll(keepingCapacity: output.capacity <= 1 << 20)
    }

    mutating func protocolHeader() {
        output += [0x41, 0x4D, 0x51, 0x50, 0, 0, 9, 1]
    }

    mutating func heartbeat() {
        output += [8, 0, 0, 0, 0, 0, 0, 0xCE]
    }

    private mutating func append16(_ value: UInt16) {
        output.append(UInt8(value >> 8))
        output.append(UInt8(truncatingIfNeeded: value))
    }

    private mutating func append32(_ value: UInt32) {
        append16(UInt16(value >> 16))
        append16(UInt16(truncatingIfNeeded: value))
    }

    /// Writes a method frame; its strings are allocated in `pool`, which is recycled here.
    mutating func method<Method>(_ id: Int, channel: UInt16, _ fields: Method) throws(AMQPError) {
        defer { pool.recycle() }
        var fields = fields
        let room = amqp_bytes_t(len: min(frameMax - 12, pool.scratch.count), bytes: pool.scratch.baseAddress)
        let count = withUnsafeMutablePointer(to: &fields) { Int(amqp_encode_method(UInt32(id), $0, room)) }
        guard count >= 0 else { throw .propertiesTooLarge }
        output.append(Frame.Kind.method.rawValue)
        append16(channel)
        append32(UInt32(4 + count))
        append32(UInt32(id))
        output.append(contentsOf: UnsafeRawBufferPointer(pool.scratch)[..<count])
        output.append(0xCE)
    }

    /// Writes the header frame and the body frames of a publish; on error none of their bytes remain.
    mutating func content(
        channel: UInt16,
        properties: MessageProperties,
        body: [UInt8]
    ) throws(AMQPError) {
        defer { pool.recycle() }
        let capacity = min(frameMax - 8 - PropertiesCodec.fixedSize, pool.scratch.count)
        let encoded = UnsafeMutableRawBufferPointer(rebasing: pool.scratch[..<capacity])
        let count = try PropertiesCodec.encode(properties, into: encoded, pool: pool)
        output.append(Frame.Kind.header.rawValue)
        append16(channel)
        append32(UInt32(PropertiesCodec.fixedSize + count))
        append16(PropertiesCodec.basicClass)
        append16(0)
        append32(UInt32(truncatingIfNeeded: UInt64(body.count) >> 32))
        append32(UInt32(truncatingIfNeeded: body.count))
        output.append(contentsOf: UnsafeRawBufferPointer(encoded)[..<count])
        output.append(0xCE)
        let room = frameMax - 8
        var offset = 0
        while offset < body.count {
            let end = min(offset + room, body.count)
            output.append(Frame.Kind.body.rawValue)
            append16(channel)
            append32(UInt32(end - offset))
            output.append(contentsOf: body[offset..<end])
            output.append(0xCE)
            offset = end
        }
    }

    /// Cuts `output` back to an earlier length, for a publish whose content was refused.
    mutating func truncate(to count: Int) {
        output.removeLast(output.count - count)
    }
}
