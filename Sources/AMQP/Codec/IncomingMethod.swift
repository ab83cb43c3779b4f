import CRabbitMQ

/// A method that the broker sent, as a value without pointers into librabbitmq's memory.
enum IncomingMethod {
    case start(mechanisms: String)
    case tune(channelMax: UInt16, frameMax: UInt32, heartbeat: UInt16)
    case openOk
    case connectionClose(code: UInt16, text: String)
    case connectionCloseOk
    case blocked(reason: String)
    case unblocked
    case channelOpenOk
    case channelClose(code: UInt16, text: String)
    case channelFlow(active: Bool)
    case confirmSelectOk
    case reply(AMQPReply)
    case deliver(DeliverFields)
    case returned(ReturnedMessage)
    case ack(tag: UInt64, multiple: Bool)
    case nack(tag: UInt64, multiple: Bool)
    case consumerCancel(tag: String)

    struct DeliverFields {
        var consumerTag: String
        var deliveryTag: UInt64
        var redelivered: Bool
        var exchange: String
        var routingKey: String
    }

    /// Decodes the payload of a method frame; also returns the method's id, to match replies with calls.
    static func decode(
        _ payload: UnsafeRawBufferPointer,
        pool: CodecPool
    ) throws(AMQPError) -> (id: Int, method: IncomingMethod) {
        guard payload.count >= 4, let base = payload.baseAddress else {
            throw .malformed("a method frame of \(payload.count) bytes")
        }
        let id = (0..<4).reduce(0) { $0 << 8 | Int(payload[$1]) }
        // The only method from a broker that carries a table; the major and minor version precede it.
        if id == Int(AMQP_CONNECTION_START_METHOD) { _ = try FieldTableGuard.check(payload, at: 6) }
        defer { pool.recycle() }
        var decoded: UnsafeMutableRawPointer?
        let encoded = amqp_bytes_t(len: payload.count - 4, bytes: UnsafeMutableRawPointer(mutating: base + 4))
        let result = amqp_decode_method(UInt32(id), pool.pointer, encoded, &decoded)
        guard result >= 0, let decoded else {
            throw .malformed("method \(id >> 16).\(id & 0xFFFF), which cannot be decoded")
        }
        guard let method = connection(id, decoded) ?? channel(id, decoded) ?? basic(id, decoded) else {
            throw .unexpected("method \(id >> 16).\(id & 0xFFFF)")
        }
        return (id, method)
    }

    private static func connection(_ id: Int, _ decoded: UnsafeMutableRawPointer) -> IncomingMethod? {
        switch id {
        case Int(AMQP_CONNECTION_START_METHOD):
            .start(mechanisms: String(decoded.assumingMemoryBound(to: amqp_connection_start_t.self).pointee.mechanisms))
        case Int(AMQP_CONNECTION_TUNE_METHOD):
            tune(decoded.assumingMemoryBound(to: amqp_connection_tune_t.self).pointee)
        case Int(AMQP_CONNECTION_OPEN_OK_METHOD): .openOk
        case Int(AMQP_CONNECTION_CLOSE_METHOD):
            close(decoded.assumingMemoryBound(to: amqp_connection_close_t.self).pointee)
        case Int(AMQP_CONNECTION_CLOSE_OK_METHOD): .connectionCloseOk
        case Int(AMQP_CONNECTION_BLOCKED_METHOD):
            .blocked(reason: String(decoded.assumingMemoryBound(to: amqp_connection_blocked_t.self).pointee.reason))
        case Int(AMQP_CONNECTION_UNBLOCKED_METHOD): .unblocked
        default: nil
        }
    }

    private static func tune(_ fields: amqp_connection_tune_t) -> IncomingMethod {
        .tune(
            channelMax: fields.channel_max,
            frameMax: UInt32(bitPattern: Int32(truncatingIfNeeded: fields.frame_max)),
            heartbeat: fields.heartbeat
        )
    }

    private static func close(_ fields: amqp_connection_close_t) -> IncomingMethod {
        .connectionClose(code: fields.reply_code, text: String(fields.reply_text))
    }

    private static func channel(_ id: Int, _ decoded: UnsafeMutableRawPointer) -> IncomingMethod? {
        switch id {
        case Int(AMQP_CHANNEL_OPEN_OK_METHOD): return .channelOpenOk
        case Int(AMQP_CHANNEL_CLOSE_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_channel_close_t.self).pointee
            return .channelClose(code: fields.reply_code, text: String(fields.reply_text))
        case Int(AMQP_CHANNEL_FLOW_METHOD):
            return .channelFlow(active: decoded.assumingMemoryBound(to: amqp_channel_flow_t.self).pointee.active != 0)
        case Int(AMQP_CONFIRM_SELECT_OK_METHOD): return .confirmSelectOk
        case Int(AMQP_EXCHANGE_DECLARE_OK_METHOD), Int(AMQP_EXCHANGE_DELETE_OK_METHOD),
            Int(AMQP_EXCHANGE_BIND_OK_METHOD), Int(AMQP_QUEUE_BIND_OK_METHOD), Int(AMQP_QUEUE_UNBIND_OK_METHOD),
            Int(AMQP_BASIC_QOS_OK_METHOD):
            return .reply(.done)
        case Int(AMQP_QUEUE_DECLARE_OK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_queue_declare_ok_t.self).pointee
            return .reply(
                .queue(
                    name: String(fields.queue),
                    messageCount: fields.message_count,
                    consumerCount: fields.consumer_count
                )
            )
        case Int(AMQP_QUEUE_PURGE_OK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_queue_purge_ok_t.self).pointee
            return .reply(.removed(messageCount: fields.message_count))
        case Int(AMQP_QUEUE_DELETE_OK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_queue_delete_ok_t.self).pointee
            return .reply(.removed(messageCount: fields.message_count))
        default: return nil
        }
    }

    private static func basic(_ id: Int, _ decoded: UnsafeMutableRawPointer) -> IncomingMethod? {
        switch id {
        case Int(AMQP_BASIC_CONSUME_OK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_basic_consume_ok_t.self).pointee
            return .reply(.consumer(tag: String(fields.consumer_tag)))
        case Int(AMQP_BASIC_CANCEL_OK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_basic_cancel_ok_t.self).pointee
            return .reply(.consumer(tag: String(fields.consumer_tag)))
        case Int(AMQP_BASIC_CANCEL_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_basic_cancel_t.self).pointee
            return .consumerCancel(tag: String(fields.consumer_tag))
        case Int(AMQP_BASIC_DELIVER_METHOD):
            return deliver(decoded.assumingMemoryBound(to: amqp_basic_deliver_t.self).pointee)
        case Int(AMQP_BASIC_RETURN_METHOD):
            return returned(decoded.assumingMemoryBound(to: amqp_basic_return_t.self).pointee)
        case Int(AMQP_BASIC_ACK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_basic_ack_t.self).pointee
            return .ack(tag: fields.delivery_tag, multiple: fields.multiple != 0)
        case Int(AMQP_BASIC_NACK_METHOD):
            let fields = decoded.assumingMemoryBound(to: amqp_basic_nack_t.self).pointee
            return .nack(tag: fields.delivery_tag, multiple: fields.multiple != 0)
        default: return nil
        }
    }

    private static func deliver(_ fields: amqp_basic_deliver_t) -> IncomingMethod {
        .deliver(
            DeliverFields(
                consumerTag: String(fields.consumer_tag),
                deliveryTag: fields.delivery_tag,
                redelivered: fields.redelivered != 0,
                exchange: String(fields.exchange),
                routingKey: String(fields.routing_key)
            )
        )
    }

    private static func returned(_ fields: amqp_basic_return_t) -> IncomingMethod {
        .returned(
            ReturnedMessage(
                code: fields.reply_code,
                text: String(fields.reply_text),
                exchange: String(fields.exchange),
                routingKey: String(fields.routing_key),
                properties: MessageProperties()
            )
        )
    }
}
