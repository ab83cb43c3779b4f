import CRabbitMQ

extension FrameWriter {
    /// The capabilities that librabbitmq's own login leaves out.
    ///
    /// Without them the broker reports neither a deleted queue nor an alarm (`reference/reliability.md`, section 2.3).
    private static let capabilities: [MessageHeader] = [
        MessageHeader("consumer_cancel_notify", .bool(true)),
        MessageHeader("connection.blocked", .bool(true)),
        MessageHeader("publisher_confirms", .bool(true)),
        MessageHeader("basic.nack", .bool(true)),
        MessageHeader("authentication_failure_close", .bool(true)),
        MessageHeader("exchange_exchange_bindings", .bool(true)),
    ]

    mutating func startOk(_ configuration: AMQPSessionConfiguration) throws(AMQPError) {
        var response: [UInt8] = [0]
        response += Array(configuration.user.utf8)
        response.append(0)
        response += Array(configuration.password.utf8)
        let properties = try pool.table([
            MessageHeader("product", .string("fanfare")),
            MessageHeader("connection_name", .string(configuration.connectionName)),
            MessageHeader("capabilities", .table(Self.capabilities)),
        ])
        let fields = amqp_connection_start_ok_t(
            client_properties: properties,
            mechanism: pool.bytes("PLAIN"),
            response: response.withUnsafeBytes { pool.bytes($0) },
            locale: pool.bytes("en_US")
        )
        try method(Int(AMQP_CONNECTION_START_OK_METHOD), channel: 0, fields)
    }

    mutating func tuneOkAndOpen(
        frameMax: UInt32,
        heartbeat: UInt16,
        virtualHost: String
    ) throws(AMQPError) {
        let tune = amqp_connection_tune_ok_t(channel_max: 1, frame_max: frameMax, heartbeat: heartbeat)
        try method(Int(AMQP_CONNECTION_TUNE_OK_METHOD), channel: 0, tune)
        let open = amqp_connection_open_t(
            virtual_host: try pool.shortString(virtualHost, "the virtual host"),
            capabilities: pool.bytes(""),
            insist: 0
        )
        try method(Int(AMQP_CONNECTION_OPEN_METHOD), channel: 0, open)
    }

    mutating func openChannel(_ channel: UInt16) throws(AMQPError) {
        let fields = amqp_channel_open_t(out_of_band: pool.bytes(""))
        try method(Int(AMQP_CHANNEL_OPEN_METHOD), channel: channel, fields)
    }
}
