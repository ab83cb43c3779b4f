import CRabbitMQ
import CShims

/// Memory of librabbitmq for one method or table at a time; confined to its session.
final class CodecPool {
    /// Room to encode one method or property list; as large as the largest frame that a session can agree on.
    let scratch: UnsafeMutableRawBufferPointer
    private let pool: UnsafeMutablePointer<amqp_pool_t>

    init(frameMax: Int) {
        scratch = .allocate(byteCount: frameMax, alignment: 8)
        pool = .allocate(capacity: 1)
        pool.initialize(to: amqp_pool_t())
        init_amqp_pool(pool, 4096)
    }

    deinit {
        empty_amqp_pool(pool)
        pool.deallocate()
        scratch.deallocate()
    }

    var pointer: UnsafeMutablePointer<amqp_pool_t> { pool }

    /// Frees everything; nothing that was allocated before may be read after this.
    func recycle() {
        recycle_amqp_pool(pool)
    }

    private func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = amqp_pool_alloc(pool, max(count, 1)) else { fatalError("out of memory") }
        return memory
    }

    func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        let memory = allocate(source.count)
        if let base = source.baseAddress { memory.copyMemory(from: base, byteCount: source.count) }
        return amqp_bytes_t(len: source.count, bytes: memory)
    }

    /// A name or short string; AMQP encodes its length in one byte.
    func shortString(_ text: String, _ field: StaticString) throws(AMQPError) -> amqp_bytes_t {
        guard text.utf8.count <= 255 else { throw .nameTooLong("\(field)") }
        return bytes(text)
    }

    func table(_ headers: [MessageHeader]) throws(AMQPError) -> amqp_table_t {
        guard !headers.isEmpty else { return amqp_table_t(num_entries: 0, entries: nil) }
        let stride = MemoryLayout<amqp_table_entry_t>.stride
        let entries = allocate(headers.count * stride)
            .bindMemory(to: amqp_table_entry_t.self, capacity: headers.count)
        for (index, header) in headers.enumerated() {
            let entry = amqp_table_entry_t(
                key: try shortString(header.name, "a header's name"),
                value: try fieldValue(header.value)
            )
            (entries + index).initialize(to: entry)
        }
        return amqp_table_t(num_entries: Int32(headers.count), entries: entries)
    }

    private func fieldValue(_ value: HeaderValue) throws(AMQPError) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        switch value {
        case .null: field.kind = UInt8(ascii: "V")
        case .bool(let flag):
            field.kind = UInt8(ascii: "t")
            field.value.boolean = flag ? 1 : 0
        case .integer(let number):
            field.kind = UInt8(ascii: "l")
            field.value.i64 = number
        case .double(let number):
            field.kind = UInt8(ascii: "d")
            field.value.f64 = number
        case .string(let text):
            field.kind = UInt8(ascii: "S")
            field.value.bytes = bytes(text)
        case .bytes(let raw):
            field.kind = UInt8(ascii: "x")
            field.value.bytes = raw.withUnsafeBytes { bytes($0) }
        case .timestamp(let seconds):
            field.kind = UInt8(ascii: "T")
            field.value.u64 = seconds
        case .array(let values):
            field.kind = UInt8(ascii: "A")
            field.value.array = try list(values)
        case .table(let headers):
            field.kind = UInt8(ascii: "F")
            field.value.table = try table(headers)
        }
        return field
    }

    private func list(_ values: [HeaderValue]) throws(AMQPError) -> amqp_array_t {
        let entries = allocate(values.count * MemoryLayout<amqp_field_value_t>.stride)
            .bindMemory(to: amqp_field_value_t.self, capacity: max(values.count, 1))
        for (index, value) in values.enumerated() { (entries + index).initialize(to: try fieldValue(value)) }
        return amqp_array_t(num_entries: Int32(values.count), entries: entries)
    }
}

extension String {
    /// Text from the peer; bytes that are not UTF-8 are replaced, never trusted.
    init(_ bytes: amqp_bytes_t) {
        self.init(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension HeaderValue {
    /// The value of a decoded field; the caller has checked the depth of its table.
    init(_ field: amqp_field_value_t) {
        switch field.kind {
        case UInt8(ascii: "t"): self = .bool(field.value.boolean != 0)
        case UInt8(ascii: "b"): self = .integer(Int64(field.value.i8))
        case UInt8(ascii: "B"): self = .integer(Int64(field.value.u8))
        case UInt8(ascii: "s"): self = .integer(Int64(field.value.i16))
        case UInt8(ascii: "u"): self = .integer(Int64(field.value.u16))
        case UInt8(ascii: "I"): self = .integer(Int64(field.value.i32))
        case UInt8(ascii: "i"): self = .integer(Int64(field.value.u32))
        case UInt8(ascii: "l"): self = .integer(field.value.i64)
        case UInt8(ascii: "L"): self = .integer(Int64(clamping: field.value.u64))
        case UInt8(ascii: "f"): self = .double(Double(field.value.f32))
        case UInt8(ascii: "d"): self = .double(field.value.f64)
        case UInt8(ascii: "D"): self = .double(Self.decimal(field.value.decimal))
        case UInt8(ascii: "S"): self = Self.text(field.value.bytes)
        case UInt8(ascii: "x"):
            let bytes = field.value.bytes
            self = .bytes(Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)))
        case UInt8(ascii: "T"): self = .timestamp(field.value.u64)
        case UInt8(ascii: "A"):
            let list = field.value.array
            self = .array(UnsafeBufferPointer(start: list.entries, count: Int(list.num_entries)).map(HeaderValue.init))
        case UInt8(ascii: "F"): self = .table([MessageHeader](field.value.table))
        default: self = .null
        }
    }

    private static func text(_ bytes: amqp_bytes_t) -> HeaderValue {
        let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
        guard let text = String(validating: raw, as: UTF8.self) else { return .bytes(Array(raw)) }
        return .string(text)
    }

    private static func decimal(_ decimal: amqp_decimal_t) -> Double {
        var scale = 1.0
        for _ in 0..<min(decimal.decimals, 64) { scale *= 10 }
        return Double(decimal.value) / scale
    }
}

extension [MessageHeader] {
    /// The entries of a decoded table.
    init(_ table: amqp_table_t) {
        self = UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries)).map { entry in
            MessageHeader(String(entry.key), HeaderValue(entry.value))
        }
    }
}
