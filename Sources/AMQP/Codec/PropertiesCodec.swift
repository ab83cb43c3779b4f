import CRabbitMQ

/// The codec of a header frame's property list; the flags are AMQP 0-9-1's (4.2.6.1).
enum PropertiesCodec {
    private static let contentType = UInt32(AMQP_BASIC_CONTENT_TYPE_FLAG)
    private static let contentEncoding = UInt32(AMQP_BASIC_CONTENT_ENCODING_FLAG)
    private static let headers = UInt32(AMQP_BASIC_HEADERS_FLAG)
    private static let deliveryMode = UInt32(AMQP_BASIC_DELIVERY_MODE_FLAG)
    private static let correlationID = UInt32(AMQP_BASIC_CORRELATION_ID_FLAG)
    private static let expiration = UInt32(AMQP_BASIC_EXPIRATION_FLAG)
    private static let messageID = UInt32(AMQP_BASIC_MESSAGE_ID_FLAG)
    private static let timestamp = UInt32(AMQP_BASIC_TIMESTAMP_FLAG)
    private static let type = UInt32(AMQP_BASIC_TYPE_FLAG)
    /// Class id (2), weight (2), body size (8).
    static let fixedSize = 12
    static let basicClass: UInt16 = 60

    /// Returns the size of the body and the properties of a header frame.
    static func decode(
        _ payload: UnsafeRawBufferPointer,
        pool: CodecPool
    ) throws(AMQPError) -> (bodySize: UInt64, properties: MessageProperties) {
        guard payload.count >= fixedSize + 2, let base = payload.baseAddress else {
            throw .malformed("a header frame of \(payload.count) bytes")
        }
        let classID = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard classID == basicClass else { throw .malformed("a header frame of class \(classID)") }
        let bodySize = (4..<12).reduce(UInt64(0)) { $0 << 8 | UInt64(payload[$1]) }
        let list = UnsafeRawBufferPointer(start: base + fixedSize, count: payload.count - fixedSize)
        try guardHeaders(list)
        defer { pool.recycle() }
        var decoded: UnsafeMutableRawPointer?
        let encoded = amqp_bytes_t(len: list.count, bytes: UnsafeMutableRawPointer(mutating: list.baseAddress))
        let result = amqp_decode_properties(basicClass, pool.pointer, encoded, &decoded)
        guard result >= 0, let decoded else { throw .malformed("a header frame that cannot be decoded") }
        let raw = decoded.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee
        return (bodySize, properties(raw))
    }

    /// Finds the headers table, which only two short strings can precede, and checks its nesting.
    private static func guardHeaders(_ list: UnsafeRawBufferPointer) throws(AMQPError) {
        let flags = UInt32(list[0]) << 8 | UInt32(list[1])
        // Bit 0 announces another flag word. Class basic has none, and none has been seen in the field.
        guard flags & 1 == 0 else { throw .malformed("a header frame with more properties than class basic has") }
        guard flags & headers != 0 else { return }
        var offset = 2
        for flag in [contentType, contentEncoding] where flags & flag != 0 {
            guard offset < list.count else { throw .malformed("a header frame that ends too early") }
            offset += 1 + Int(list[offset])
        }
        guard offset < list.count else { throw .malformed("a header frame that ends too early") }
        _ = try FieldTableGuard.check(list, at: offset)
    }

    private static func properties(_ raw: amqp_basic_properties_t) -> MessageProperties {
        let flags = raw._flags
        var properties = MessageProperties()
        if flags & contentType != 0 { properties.contentType = String(raw.content_type) }
        if flags & type != 0 { properties.type = String(raw.type) }
        if flags & messageID != 0 { properties.messageID = String(raw.message_id) }
        if flags & correlationID != 0 { properties.correlationID = String(raw.correlation_id) }
        if flags & timestamp != 0 { properties.timestamp = raw.timestamp }
        if flags & deliveryMode != 0 { properties.deliveryMode = raw.delivery_mode }
        if flags & expiration != 0 { properties.expiration = String(raw.expiration) }
        if flags & headers != 0 { properties.headers = [MessageHeader](raw.headers) }
        return properties
    }

    /// Writes the property list of a message into `buffer`; returns the number of bytes written.
    static func encode(
        _ properties: MessageProperties,
        into buffer: UnsafeMutableRawBufferPointer,
        pool: CodecPool
    ) throws(AMQPError) -> Int {
        var raw = amqp_basic_properties_t()
        func set(
            _ field: inout amqp_bytes_t,
            _ flag: UInt32,
            _ text: String?,
            _ name: StaticString
        )
            throws(AMQPError) -> UInt32
        {
            guard let text else { return 0 }
            field = try pool.shortString(text, name)
            return flag
        }
        raw._flags |= try set(&raw.content_type, contentType, properties.contentType, "content_type")
        raw._flags |= try set(&raw.type, type, properties.type, "type")
        raw._flags |= try set(&raw.message_id, messageID, properties.messageID, "message_id")
        raw._flags |= try set(&raw.correlation_id, correlationID, properties.correlationID, "correlation_id")
        raw._flags |= try set(&raw.expiration, expiration, properties.expiration, "expiration")
        if let seconds = properties.timestamp {
            raw.timestamp = seconds
            raw._flags |= timestamp
        }
        if let mode = properties.deliveryMode {
            raw.delivery_mode = mode
            raw._flags |= deliveryMode
        }
        if !properties.headers.isEmpty {
            raw.headers = try pool.table(properties.headers)
            raw._flags |= headers
        }
        let encoded = amqp_bytes_t(len: buffer.count, bytes: buffer.baseAddress)
        let count = withUnsafeMutablePointer(to: &raw) { amqp_encode_properties(basicClass, $0, encoded) }
        guard count >= 0 else { throw .propertiesTooLarge }
        return Int(count)
    }
}
