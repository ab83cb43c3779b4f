/// HPACK's tables as the encoder of requests sees them (RFC 7541 section 2.3): the static table and this connection's
/// dynamic one.
struct HeaderTable {
    /// The size that an entry has besides its bytes (RFC 7541 section 4.1).
    static let entryOverhead = 32

    /// The dynamic table's capacity.
    private(set) var capacity: Int
    /// The dynamic table's entries, oldest first; the newest has the lowest index.
    private var entries: [HeaderField] = []
    private var size = 0

    init(capacity: Int) { self.capacity = capacity }

    /// Changes the capacity; the oldest entries are evicted to fit.
    mutating func resize(to capacity: Int) {
        self.capacity = capacity
        evict(for: 0)
    }

    /// Adds an entry; an entry larger than the table empties it (RFC 7541 section 4.4).
    mutating func insert(_ field: HeaderField) {
        evict(for: field.tableBytes)
        guard field.tableBytes <= capacity else { return }
        entries.append(field)
        size += field.tableBytes
    }

    private mutating func evict(for bytes: Int) {
        while size + bytes > capacity, let oldest = entries.first {
            size -= oldest.tableBytes
            entries.removeFirst()
        }
    }

    /// Returns the index of a field with this name and value.
    func index(name: [UInt8], value: [UInt8]) -> Int? {
        if let position = HeaderTable.fixed.firstIndex(where: { $0.name == name && $0.value == value }) {
            return position + 1
        }
        return entries.lastIndex { $0.name == name && $0.value == value }.map(index)
    }

    /// Returns the index of any field with this name.
    func index(name: [UInt8]) -> Int? {
        if let position = HeaderTable.fixed.firstIndex(where: { $0.name == name }) { return position + 1 }
        return entries.lastIndex { $0.name == name }.map(index)
    }

    private func index(_ position: Int) -> Int { HeaderTable.fixed.count + entries.count - position }

    /// The static table (RFC 7541 appendix A), from index 1.
    static let fixed: [HeaderField] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""),
        ("content-length", ""), ("content-location", ""), ("content-range", ""), ("content-type", ""),
        ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
        ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""),
        ("retry-after", ""), ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""),
        ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ].map { HeaderField($0.0, $0.1) }
}

extension HeaderField {
    /// The size of the field in HPACK's table (RFC 7541 section 4.1).
    var tableBytes: Int { name.count + value.count + HeaderTable.entryOverhead }
}
