/// Assembles a request by copying its bytes into the memory of its stream.
///
/// Set ``tag`` and the header block, then path, per-request value and body in any order, each once. Requests up to
/// about 500 bytes allocate nothing; larger ones allocate only the first time an entry holds one.
public struct RequestWriter: ~Copyable {
    /// The caller's name for the request, which comes back with its end.
    public var tag: UInt64 = 0
    /// True if ``setHeaders(_:)`` was called.
    private(set) var hasHeaders = false

    /// Read into a constant before each use: accessed through `self`, the thread sanitizer's build takes `tag` for the
    /// address.
    let stream: UnsafeMutablePointer<ClientStream>
    let index: Int32

    init(stream: UnsafeMutablePointer<ClientStream>, index: Int32) {
        self.stream = stream
        self.index = index
    }

    /// Sets the shared part of the header block; this call is required.
    public mutating func setHeaders(_ headers: PreparedHeaders) {
        let stream = self.stream
        hasHeaders = true
        let wanted = Unmanaged.passUnretained(headers)
        // The entry keeps its last block, which nearly always is the next request's too: no reference counting then.
        guard stream.pointee.headers?.toOpaque() != wanted.toOpaque() else { return }
        stream.pointee.headers?.release()
        stream.pointee.headers = wanted.retain()
    }

    /// Sets `:path`.
    public mutating func setPath(_ bytes: UnsafeRawBufferPointer) {
        let stream = self.stream
        stream.pointee.path = stream.pointee.append(bytes)
    }

    /// Sets the value of the field that ``PreparedHeaders`` leaves to the request.
    public mutating func setPerRequestValue(_ bytes: UnsafeRawBufferPointer) {
        let stream = self.stream
        stream.pointee.perRequest = stream.pointee.append(bytes)
    }

    /// Sets the body.
    public mutating func setBody(_ bytes: UnsafeRawBufferPointer) {
        let stream = self.stream
        stream.pointee.body = stream.pointee.append(bytes)
    }

    /// Sets per-request value, body and path at once by copying `template`, which contains them, with `tail` more bytes
    /// after it.
    ///
    /// The `tail` bytes belong to the value that ends there. Returns the copy with that room at its end, for the
    /// request's own bytes; valid until the writer is used again.
    public mutating func copy(
        _ template: UnsafeRawBufferPointer,
        tail: Int,
        perRequest: Range<Int>,
        path: Range<Int>,
        body: Range<Int>
    ) -> UnsafeMutableRawBufferPointer {
        let stream = self.stream
        let count = template.count + tail
        stream.pointee.reserve(count)
        let start = stream.pointee.arenaUsed
        let room = UnsafeMutableRawBufferPointer(start: stream.pointee.arena.map { $0 + start }, count: count)
        room.copyMemory(from: template)
        stream.pointee.arenaUsed = start + count
        stream.pointee.perRequest = ByteRange(start: start + perRequest.lowerBound, count: perRequest.count)
        stream.pointee.body = ByteRange(start: start + body.lowerBound, count: body.count)
        stream.pointee.path = ByteRange(start: start + path.lowerBound, count: path.count)
        return room
    }

    /// Sets `:path` by writing it in place: `fill` gets `capacity` bytes and returns the number it used.
    public mutating func setPath(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let stream = self.stream
        stream.pointee.path = self.fill(capacity, fill)
    }

    /// Sets the per-request value by writing it in place.
    public mutating func setPerRequestValue(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let stream = self.stream
        stream.pointee.perRequest = self.fill(capacity, fill)
    }

    /// Sets the body by writing it in place.
    public mutating func setBody(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let stream = self.stream
        stream.pointee.body = self.fill(capacity, fill)
    }

    private mutating func fill(_ capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> ByteRange {
        let stream = self.stream
        stream.pointee.reserve(capacity)
        let start = stream.pointee.arenaUsed
        let room = UnsafeMutableRawBufferPointer(start: stream.pointee.arena.map { $0 + start }, count: capacity)
        let count = fill(room)
        precondition((0...capacity).contains(count), "\(count) bytes were written into room for \(capacity)")
        stream.pointee.arenaUsed += count
        return ByteRange(start: start, count: count)
    }
}
