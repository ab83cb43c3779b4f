/// Writes the header blocks of one connection's requests.
///
/// The shared part of a block is encoded once for as long as it stays the same: mostly one-byte references to the
/// peer's table and a literal `authorization`. Per request two strings are copied into it. ``HeaderField/Indexing``
/// follows Apple's rules for what may be indexed; `:path` is always a literal without indexing.
struct RequestEncoder: ~Copyable {
    /// The dynamic table's size, unless SETTINGS ask for less (RFC 9113 section 6.5.2); larger values are ignored.
    static let tableBytesMax = 4096

    private var table = HeaderTable(capacity: Self.tableBytesMax)
    /// The smallest table size that SETTINGS asked for since the last block; the next block must announce it (RFC 7541
    /// section 4.2).
    private var tableSizeToTell: Int?
    private var isFirstBlock = true
    /// The headers whose block is held, retained; nil when the next request needs a new block.
    private var headers: Unmanaged<PreparedHeaders>?

    // The held block: the part before the path's value, then the part before the per-request value.
    private var bytes: UnsafeMutableRawPointer
    private var capacity = 512
    private var frontCount = 0
    private var count = 0
    private var hasPerRequest = false

    init() { bytes = .allocate(byteCount: capacity, alignment: 16) }

    deinit {
        headers?.release()
        bytes.deallocate()
    }

    /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func limitTable(to limit: UInt32) {
        let capacity = min(Int(limit), Self.tableBytesMax)
        guard capacity != table.capacity else { return }
        table.resize(to: capacity)
        tableSizeToTell = min(tableSizeToTell ?? capacity, capacity)
        forget()
    }

    /// Holds the block of these headers; ``write(path:perRequest:to:)`` must follow before the next call.
    mutating func hold(_ headers: Unmanaged<PreparedHeaders>, perRequest: UnsafeRawBufferPointer) {
        guard self.headers?.toOpaque() != headers.toOpaque() else { return }
        forget()
        // A block that changes the table cannot be reused by another request.
        if encode(headers.takeUnretainedValue(), perRequest: perRequest) { self.headers = headers.retain() }
    }

    /// Returns the room that ``write(path:perRequest:to:)`` needs for values of these sizes.
    func byteCountMax(path: Int, perRequest: Int) -> Int {
        count + path + perRequest + 2 * HPACKBytes.integerBytesMax
    }

    /// Writes the block and returns its size.
    func write(
        path: UnsafeRawBufferPointer,
        perRequest: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawPointer
    ) -> Int {
        target.copyMemory(from: bytes, byteCount: frontCount)
        var filled = frontCount
        filled += HPACKBytes.write(path, to: target + filled)
        (target + filled).copyMemory(from: bytes + frontCount, byteCount: count - frontCount)
        filled += count - frontCount
        if hasPerRequest { filled += HPACKBytes.write(perRequest, to: target + filled) }
        return filled
    }

    private mutating func forget() {
        headers?.release()
        headers = nil
    }

    /// Encodes the shared part; returns true if it is valid for later requests too.
    private mutating func encode(_ headers: PreparedHeaders, perRequest: UnsafeRawBufferPointer) -> Bool {
        var isLasting = !isFirstBlock && tableSizeToTell == nil
        var block: [UInt8] = []
        if let smallest = tableSizeToTell {
            if smallest < table.capacity { HPACKBytes.appendTableSize(smallest, to: &block) }
            HPACKBytes.appendTableSize(table.capacity, to: &block)
            tableSizeToTell = nil
        }
        for field in headers.front where append(field, to: &block) { isLasting = false }
        HPACKBytes.appendName(Self.path, index: table.index(name: Self.path), .withoutIndexing, to: &block)
        let frontCount = block.count
        for field in headers.rest where append(field, to: &block) { isLasting = false }
        if let name = headers.perRequestName {
            let literal: HPACKBytes.Literal = isFirstBlock ? .incrementalIndexing : .withoutIndexing
            HPACKBytes.appendName(name, index: table.index(name: name), literal, to: &block)
            if isFirstBlock { table.insert(HeaderField(name: name, value: Array(perRequest))) }
        }
        isFirstBlock = false
        self.frontCount = frontCount
        hasPerRequest = headers.perRequestName != nil
        store(block)
        return isLasting
    }

    private static let path = Array(":path".utf8)

    /// Appends one field; returns true if that changed the table.
    private mutating func append(_ field: HeaderField, to block: inout [UInt8]) -> Bool {
        let isIndexed: Bool
        switch field.indexing {
        case .indexed: isIndexed = true
        case .nameOnly: isIndexed = isFirstBlock
        case .never:
            HPACKBytes.appendName(field.name, index: table.index(name: field.name), .neverIndexed, to: &block)
            HPACKBytes.appendString(field.value, to: &block)
            return false
        }
        if isIndexed, let index = table.index(name: field.name, value: field.value) {
            HPACKBytes.appendIndexed(index, to: &block)
            return false
        }
        // A field that would evict most of the table is not worth an entry.
        let isInserted = isIndexed && field.tableBytes <= table.capacity / 2
        HPACKBytes.appendName(
            field.name,
            index: table.index(name: field.name),
            isInserted ? .incrementalIndexing : .withoutIndexing,
            to: &block
        )
        HPACKBytes.appendString(field.value, to: &block)
        if isInserted { table.insert(field) }
        return isInserted
    }

    private mutating func store(_ block: [UInt8]) {
        if block.count > capacity {
            bytes.deallocate()
            capacity = 2 * block.count
            bytes = .allocate(byteCount: capacity, alignment: 16)
        }
        block.withUnsafeBytes { source in
            if let base = source.baseAddress { bytes.copyMemory(from: base, byteCount: source.count) }
        }
        count = block.count
    }
}
