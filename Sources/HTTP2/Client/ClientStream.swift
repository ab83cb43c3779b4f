import CNGHTTP2

/// The state of one stream of a client session.
///
/// Entries are reused and keep their memory.
struct ClientStream {
    static let none: Int32 = -1

    /// The phases of a request.
    enum Phase: UInt8 {
        case free
        /// Nothing of the request was sent.
        case queued
        /// The HEADERS were sent.
        case open
        /// The stream is closed; its end has not been reported.
        case closed
        /// The end was reported already (deadline, lost connection); nothing more is reported.
        case abandoned
    }

    /// The caller's name for the request.
    var tag: UInt64 = 0
    /// The stream's id; 0 while the entry is free or being filled.
    var streamID: Int32 = 0
    var phase = Phase.free
    /// True while one of the session's queues holds the entry: it is not freed before it leaves the queue.
    var isInLine = false
    /// The neighbors in the list of live streams (oldest first); `next` also links the free list.
    var previous = ClientStream.none
    var next = ClientStream.none
    /// The caller's clock at submission.
    var submittedAt: Int64 = 0

    // The request: path, per-request value and body stay in the arena until they are sent, which the peer's windows
    // decide. The next request then reuses the arena, so that there are few and they stay in the cache.
    var arena: UnsafeMutableRawPointer?
    var arenaCapacity = 0
    var arenaUsed = 0
    var path = ByteRange()
    var perRequest = ByteRange()
    var body = ByteRange()
    var bodySent = 0
    /// The bytes that the peer still accepts on this stream; negative after SETTINGS that shrink the window.
    var sendWindow = 0
    /// True once the last byte of the request was handed over for sending: from then on the peer may have processed it.
    var isSent = false
    /// The shared header block, of which the entry owns one reference.
    var headers: Unmanaged<PreparedHeaders>?

    // The answer.
    /// The status; 0 before any HEADERS, below 200 while more are to come.
    var status: UInt16 = 0
    /// Bytes of DATA that no WINDOW_UPDATE has returned yet.
    var received = 0
    var answer: UnsafeMutableRawPointer?
    var answerCapacity = 0
    var fieldsUsed = 0
    var retryAfter = ByteRange()
    var date = ByteRange()
    var apnsID = ByteRange()
    var channelID = ByteRange()
    var answerBodyCount = 0
    var closeCode: UInt32 = 0

    /// The room for header values in front of the body in `answer`.
    static let fieldBytesMax = 512

    /// Prepares the entry for a new request; keeps its memory and its reference to the header block.
    mutating func reset() {
        tag = 0
        streamID = 0
        phase = .free
        isInLine = false
        arenaUsed = 0
        path = ByteRange()
        perRequest = ByteRange()
        body = ByteRange()
        bodySent = 0
        sendWindow = 0
        isSent = false
        status = 0
        received = 0
        resetAnswer()
        answerBodyCount = 0
        closeCode = 0
    }

    /// Discards the header values of an interim (1xx) answer when another answer follows.
    mutating func resetAnswer() {
        fieldsUsed = 0
        retryAfter = ByteRange()
        date = ByteRange()
        apnsID = ByteRange()
        channelID = ByteRange()
    }

    /// Copies request bytes into the arena.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> ByteRange {
        reserve(bytes.count)
        let range = ByteRange(start: arenaUsed, count: bytes.count)
        if let base = bytes.baseAddress, let arena = self.arena {
            (arena + arenaUsed).copyMemory(from: base, byteCount: bytes.count)
        }
        arenaUsed += bytes.count
        return range
    }

    /// Makes room for `count` more bytes; existing bytes may move, because ranges are offsets.
    mutating func reserve(_ count: Int) {
        let needed = arenaUsed + count
        guard needed > arenaCapacity else { return }
        let capacity = max(needed, 2 * arenaCapacity, ClientStream.arenaBytes)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
        if let arena = self.arena {
            grown.copyMemory(from: arena, byteCount: arenaUsed)
            arena.deallocate()
        }
        self.arena = grown
        arenaCapacity = capacity
    }

    /// Enough for a path with a long token, an id and a typical payload; larger requests make an arena grow.
    private static let arenaBytes = 512

    /// Copies a header value of the answer; a value that does not fit is left out.
    mutating func appendField(_ bytes: UnsafeRawBufferPointer) -> ByteRange {
        guard let base = bytes.baseAddress, fieldsUsed + bytes.count <= ClientStream.fieldBytesMax else {
            return ByteRange()
        }
        reserveAnswer(ClientStream.fieldBytesMax)
        guard let answer = self.answer else { return ByteRange() }
        let range = ByteRange(start: fieldsUsed, count: bytes.count)
        (answer + fieldsUsed).copyMemory(from: base, byteCount: bytes.count)
        fieldsUsed += bytes.count
        return range
    }

    /// Copies body bytes of the answer, up to `bytesMax` in all.
    mutating func appendBody(_ bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        let count = min(bytes.count, bytesMax - answerBodyCount)
        guard count > 0, let base = bytes.baseAddress else { return }
        let start = ClientStream.fieldBytesMax + answerBodyCount
        reserveAnswer(start + count)
        guard let answer = self.answer else { return }
        (answer + start).copyMemory(from: base, byteCount: count)
        answerBodyCount += count
    }

    private mutating func reserveAnswer(_ needed: Int) {
        guard needed > answerCapacity else { return }
        // Most bodies are a short JSON object.
        let capacity = max(needed, 2 * answerCapacity, ClientStream.fieldBytesMax + 128)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        if let answer = self.answer {
            grown.copyMemory(from: answer, byteCount: answerCapacity)
            answer.deallocate()
        }
        self.answer = grown
        answerCapacity = capacity
    }

    /// Returns bytes of the request.
    func requestBytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        guard let arena = self.arena, range.count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: arena + range.start, count: range.count)
    }

    func answerBytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        guard let answer = self.answer, range.count > 0 else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: answer + range.start, count: range.count)
    }

    /// Frees the entry's memory; only when the table is destroyed.
    mutating func free() {
        arena?.deallocate()
        answer?.deallocate()
        headers?.release()
        headers = nil
    }
}

/// A range of an entry's memory as an offset, so that it survives growth.
struct ByteRange {
    var start = 0
    var count = 0
}
