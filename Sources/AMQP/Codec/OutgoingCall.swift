import CRabbitMQ

extension FrameWriter {
    /// Writes a call's method frame; returns the method id of the expected answer.
    mutating func call(_ call: AMQPCall, channel: UInt16) throws(AMQPError) -> Int {
        switch call {
        case .declareExchange, .checkExchange, .deleteExchange, .bindExchange:
            try exchangeCall(call, channel: channel)
        case .declareQueue, .checkQueue, .deleteQueue, .purgeQueue, .bindQueue, .unbindQueue:
            try queueCall(call, channel: channel)
        case .qos, .consume, .cancel:
            try basicCall(call, channel: channel)
        }
    }

    private mutating func exchangeCall(_ call: AMQPCall, channel: UInt16) throws(AMQPError) -> Int {
        switch call {
        case .declareExchange(let name, let type, let arguments):
            var fields = amqp_exchange_declare_t()
            fields.exchange = try pool.shortString(name, "an exchange's name")
            fields.type = try pool.shortString(type, "an exchange's type")
            fields.durable = 1
            fields.arguments = try pool.table(arguments)
            try method(Int(AMQP_EXCHANGE_DECLARE_METHOD), channel: channel, fields)
            return Int(AMQP_EXCHANGE_DECLARE_OK_METHOD)
        case .checkExchange(let name):
            var fields = amqp_exchange_declare_t()
            fields.exchange = try pool.shortString(name, "an exchange's name")
            // A passive declaration ignores the type, but a missing type is refused.
            fields.type = pool.bytes("direct")
            fields.passive = 1
            try method(Int(AMQP_EXCHANGE_DECLARE_METHOD), channel: channel, fields)
            return Int(AMQP_EXCHANGE_DECLARE_OK_METHOD)
        case .deleteExchange(let name):
            var fields = amqp_exchange_delete_t()
            fields.exchange = try pool.shortString(name, "an exchange's name")
            try method(Int(AMQP_EXCHANGE_DELETE_METHOD), channel: channel, fields)
            return Int(AMQP_EXCHANGE_DELETE_OK_METHOD)
        case .bindExchange(let source, let destination, let routingKey, let arguments):
            var fields = amqp_exchange_bind_t()
            fields.source = try pool.shortString(source, "an exchange's name")
            fields.destination = try pool.shortString(destination, "an exchange's name")
            fields.routing_key = try pool.shortString(routingKey, "a routing key")
            fields.arguments = try pool.table(arguments)
            try method(Int(AMQP_EXCHANGE_BIND_METHOD), channel: channel, fields)
            return Int(AMQP_EXCHANGE_BIND_OK_METHOD)
        default: preconditionFailure("not a call of class exchange")
        }
    }

    private mutating func queueCall(_ call: AMQPCall, channel: UInt16) throws(AMQPError) -> Int {
        switch call {
        case .declareQueue(let name, let exclusive, let arguments):
            var fields = amqp_queue_declare_t()
            fields.queue = try pool.shortString(name, "a queue's name")
            fields.durable = exclusive ? 0 : 1
            fields.exclusive = exclusive ? 1 : 0
            fields.auto_delete = exclusive ? 1 : 0
            fields.arguments = try pool.table(arguments)
            try method(Int(AMQP_QUEUE_DECLARE_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_DECLARE_OK_METHOD)
        case .checkQueue(let name):
            var fields = amqp_queue_declare_t()
            fields.queue = try pool.shortString(name, "a queue's name")
            fields.passive = 1
            try method(Int(AMQP_QUEUE_DECLARE_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_DECLARE_OK_METHOD)
        case .deleteQueue(let name):
            var fields = amqp_queue_delete_t()
            fields.queue = try pool.shortString(name, "a queue's name")
            try method(Int(AMQP_QUEUE_DELETE_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_DELETE_OK_METHOD)
        case .purgeQueue(let name):
            var fields = amqp_queue_purge_t()
            fields.queue = try pool.shortString(name, "a queue's name")
            try method(Int(AMQP_QUEUE_PURGE_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_PURGE_OK_METHOD)
        default: return try bindingCall(call, channel: channel)
        }
    }

    private mutating func bindingCall(_ call: AMQPCall, channel: UInt16) throws(AMQPError) -> Int {
        switch call {
        case .bindQueue(let queue, let exchange, let routingKey, let arguments):
            var fields = amqp_queue_bind_t()
            fields.queue = try pool.shortString(queue, "a queue's name")
            fields.exchange = try pool.shortString(exchange, "an exchange's name")
            fields.routing_key = try pool.shortString(routingKey, "a routing key")
            fields.arguments = try pool.table(arguments)
            try method(Int(AMQP_QUEUE_BIND_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_BIND_OK_METHOD)
        case .unbindQueue(let queue, let exchange, let routingKey, let arguments):
            var fields = amqp_queue_unbind_t()
            fields.queue = try pool.shortString(queue, "a queue's name")
            fields.exchange = try pool.shortString(exchange, "an exchange's name")
            fields.routing_key = try pool.shortString(routingKey, "a routing key")
            fields.arguments = try pool.table(arguments)
            try method(Int(AMQP_QUEUE_UNBIND_METHOD), channel: channel, fields)
            return Int(AMQP_QUEUE_UNBIND_OK_METHOD)
        default: preconditionFailure("not a call of class queue")
        }
    }

    private mutating func basicCall(_ call: AMQPCall, channel: UInt16) throws(AMQPError) -> Int {
        switch call {
        case .qos(let prefetch):
            let fields = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: prefetch, global: 0)
            try method(Int(AMQP_BASIC_QOS_METHOD), channel: channel, fields)
            return Int(AMQP_BASIC_QOS_OK_METHOD)
        case .consume(let queue, let consumerTag, let noAck):
            var fields = amqp_basic_consume_t()
            fields.queue = try pool.shortString(queue, "a queue's name")
            fields.consumer_tag = try pool.shortString(consumerTag, "a consumer tag")
            fields.no_ack = noAck ? 1 : 0
            try method(Int(AMQP_BASIC_CONSUME_METHOD), channel: channel, fields)
            return Int(AMQP_BASIC_CONSUME_OK_METHOD)
        case .cancel(let consumerTag):
            var fields = amqp_basic_cancel_t()
            fields.consumer_tag = try pool.shortString(consumerTag, "a consumer tag")
            try method(Int(AMQP_BASIC_CANCEL_METHOD), channel: channel, fields)
            return Int(AMQP_BASIC_CANCEL_OK_METHOD)
        default: preconditionFailure("not a call of class basic")
        }
    }
}
