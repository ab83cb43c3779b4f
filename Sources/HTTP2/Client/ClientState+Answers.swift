/// HEADERS, CONTINUATION and DATA of answers.
extension ClientState {
    /// Processes the most common answer: HEADERS that end the stream, with one octet that indexes a status in the
    /// static table.
    ///
    /// Returns false for any other frame.
    ///
    /// Such a block neither reads nor changes the connection's table (RFC 7541 section 6.1), so the decoder does not
    /// need to see it.
    mutating func receiveShortAnswer(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard header.type == FrameType.headers, header.length == 1,
            header.flags == FrameFlags.endStream | FrameFlags.endHeaders,
            let status = ClientState.indexedStatus(payload[0]), let index = self.streams.slot(of: header.streamID)
        else { return false }
        let slot = self.table[index]
        guard slot.pointee.status == 0 else { return false }
        slot.pointee.status = status
        self.answerEnded(index)
        return true
    }

    /// Returns the status that an indexed field of the static table names (RFC 7541 appendix A, 8 to 14).
    private static func indexedStatus(_ octet: UInt8) -> UInt16? {
        switch octet {
        case 0x88: 200
        case 0x89: 204
        case 0x8A: 206
        case 0x8B: 304
        case 0x8C: 400
        case 0x8D: 404
        case 0x8E: 500
        default: nil
        }
    }

    mutating func headersReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try self.checkOpened(header)
        var fragment = try self.withoutPadding(header, payload)
        if header.has(FrameFlags.priority) {
            guard fragment.count >= 5 else { throw self.frameSizeError(header) }
            fragment = UnsafeRawBufferPointer(rebasing: fragment[5...])
        }
        self.block = AnswerBlock()
        self.block.streamID = header.streamID
        self.block.endsStream = header.has(FrameFlags.endStream)
        if let index = self.streams.slot(of: header.streamID) {
            self.block.hadStatus = self.table[index].pointee.status >= 200
        }
        try self.fragmentReceived(fragment, isLast: header.has(FrameFlags.endHeaders))
    }

    mutating func continuationReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard self.block.streamID != 0, self.block.streamID == header.streamID else {
            throw self.violation("CONTINUATION without a header block")
        }
        self.block.continuations += 1
        guard self.block.continuations <= AnswerBlock.continuationsMax else {
            throw self.flooded("CONTINUATION without end")
        }
        try self.fragmentReceived(payload, isLast: header.has(FrameFlags.endHeaders))
    }

    private mutating func fragmentReceived(
        _ fragment: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(HTTP2Error) {
        let index = self.streams.slot(of: self.block.streamID)
        self.block.slot = index.map { self.table[$0] }
        var rest = fragment
        while true {
            switch try self.decode(&rest, isLast: isLast) {
            case .field(let name, let value):
                self.block.receive(name: name, value: value)
                guard self.block.bytes <= self.configuration.headerBytesMax else {
                    throw self.flooded("an answer of \(self.block.bytes) header bytes")
                }
            case .needsMore: return
            case .complete: return self.blockEnded(index)
            }
        }
    }

    private mutating func decode(
        _ fragment: inout UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(HTTP2Error) -> HeaderDecoder.Step {
        do {
            return try self.decoder.next(&fragment, isLast: isLast)
        } catch {
            throw self.failure(HTTP2ErrorCode.compressionError, error.code, error.message)
        }
    }

    private mutating func blockEnded(_ index: Int32?) {
        let block = self.block
        self.block = AnswerBlock()
        guard let index else { return }
        guard block.isLawful else {
            // A malformed answer has no valid status either.
            if !block.hadStatus { self.table[index].pointee.status = 0 }
            return self.reset(index, code: HTTP2ErrorCode.protocolError)
        }
        if block.endsStream { self.answerEnded(index) }
    }

    mutating func dataReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try self.checkOpened(header)
        let content = try self.withoutPadding(header, payload)
        self.countData(header.length)
        guard let index = self.streams.slot(of: header.streamID) else { return }
        let slot = self.table[index]
        // A body is valid only after a final status (RFC 9113 section 8.1).
        guard slot.pointee.status >= 200 else { return self.reset(index, code: HTTP2ErrorCode.protocolError) }
        slot.pointee.received += header.length
        slot.pointee.appendBody(content, bytesMax: self.configuration.bodyBytesMax)
        if header.has(FrameFlags.endStream) { return self.answerEnded(index) }
        if slot.pointee.received >= PeerSettings.initialWindowBytes / 2 {
            self.output.appendWindowUpdate(header.streamID, slot.pointee.received)
            slot.pointee.received = 0
        }
    }

    /// Counts received DATA and returns the connection's window once half of it is used.
    private mutating func countData(_ count: Int) {
        let window = max(Int(self.configuration.connectionWindowBytes), PeerSettings.initialWindowBytes)
        self.received += count
        guard self.received >= window / 2 else { return }
        self.output.appendWindowUpdate(0, self.received)
        self.received = 0
    }

    /// Ends a stream whose answer is complete; if the request was not fully sent, the rest of it is cancelled.
    private mutating func answerEnded(_ index: Int32) {
        let slot = self.table[index]
        if !slot.pointee.isSent { self.output.appendReset(slot.pointee.streamID, HTTP2ErrorCode.cancel) }
        self.close(index, code: HTTP2ErrorCode.noError)
    }

    /// Rejects frames of streams that we did not open (RFC 9113 section 5.1).
    mutating func checkOpened(_ header: FrameHeader) throws(HTTP2Error) {
        guard header.streamID & 1 == 1, header.streamID <= self.lastOpened else {
            throw self.violation("a frame of stream \(header.streamID), which was not opened")
        }
    }

    private mutating func withoutPadding(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        guard header.has(FrameFlags.padded) else { return payload }
        guard let padding = payload.first, Int(padding) < payload.count else {
            throw self.violation("more padding than frame")
        }
        return UnsafeRawBufferPointer(rebasing: payload[1..<(payload.count - Int(padding))])
    }
}
