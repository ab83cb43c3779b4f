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
            let status = ClientState.indexedStatus(payload[0]), let index = indexes.index(of: header.streamID)
        else { return false }
        let stream = table[index]
        guard stream.pointee.status == 0 else { return false }
        stream.pointee.status = status
        answerEnded(index)
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
        try checkOpened(header)
        var fragment = try withoutPadding(header, payload)
        if header.has(FrameFlags.priority) {
            guard fragment.count >= 5 else { throw frameSizeError(header) }
            fragment = UnsafeRawBufferPointer(rebasing: fragment[5...])
        }
        block = AnswerBlock()
        block.streamID = header.streamID
        block.endsStream = header.has(FrameFlags.endStream)
        if let index = indexes.index(of: header.streamID) {
            block.hadStatus = table[index].pointee.status >= 200
        }
        try fragmentReceived(fragment, isLast: header.has(FrameFlags.endHeaders))
    }

    mutating func continuationReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard block.streamID != 0, block.streamID == header.streamID else {
            throw violation("CONTINUATION without a header block")
        }
        block.continuations += 1
        guard block.continuations <= AnswerBlock.continuationsMax else {
            throw flooded("CONTINUATION without end")
        }
        try fragmentReceived(payload, isLast: header.has(FrameFlags.endHeaders))
    }

    private mutating func fragmentReceived(
        _ fragment: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(HTTP2Error) {
        let index = indexes.index(of: block.streamID)
        block.stream = index.map { table[$0] }
        var rest = fragment
        while true {
            switch try decode(&rest, isLast: isLast) {
            case .field(let name, let value):
                block.receive(name: name, value: value)
                guard block.bytes <= configuration.headerBytesMax else {
                    throw flooded("an answer of \(block.bytes) header bytes")
                }
            case .needsMore: return
            case .complete: return blockEnded(index)
            }
        }
    }

    private mutating func decode(
        _ fragment: inout UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(HTTP2Error) -> HeaderDecoder.Step {
        do {
            return try decoder.next(&fragment, isLast: isLast)
        } catch {
            throw failure(HTTP2ErrorCode.compressionError, error.code, error.message)
        }
    }

    private mutating func blockEnded(_ index: Int32?) {
        let block = self.block
        self.block = AnswerBlock()
        guard let index else { return }
        guard block.isLawful else {
            // A malformed answer has no valid status either.
            if !block.hadStatus { table[index].pointee.status = 0 }
            return reset(index, code: HTTP2ErrorCode.protocolError)
        }
        if block.endsStream { answerEnded(index) }
    }

    mutating func dataReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try checkOpened(header)
        let content = try withoutPadding(header, payload)
        countData(header.length)
        guard let index = indexes.index(of: header.streamID) else { return }
        let stream = table[index]
        // A body is valid only after a final status (RFC 9113 section 8.1).
        guard stream.pointee.status >= 200 else { return reset(index, code: HTTP2ErrorCode.protocolError) }
        stream.pointee.received += header.length
        stream.pointee.appendBody(content, bytesMax: configuration.bodyBytesMax)
        if header.has(FrameFlags.endStream) { return answerEnded(index) }
        if stream.pointee.received >= PeerSettings.initialWindowBytes / 2 {
            output.appendWindowUpdate(header.streamID, stream.pointee.received)
            stream.pointee.received = 0
        }
    }

    /// Counts received DATA and returns the connection's window once half of it is used.
    private mutating func countData(_ count: Int) {
        let window = max(Int(configuration.connectionWindowBytes), PeerSettings.initialWindowBytes)
        received += count
        guard received >= window / 2 else { return }
        output.appendWindowUpdate(0, received)
        received = 0
    }

    /// Ends a stream whose answer is complete; if the request was not fully sent, the rest of it is cancelled.
    private mutating func answerEnded(_ index: Int32) {
        let stream = table[index]
        if !stream.pointee.isSent { output.appendReset(stream.pointee.streamID, HTTP2ErrorCode.cancel) }
        close(index, code: HTTP2ErrorCode.noError)
    }

    /// Rejects frames of streams that we did not open (RFC 9113 section 5.1).
    mutating func checkOpened(_ header: FrameHeader) throws(HTTP2Error) {
        guard header.streamID & 1 == 1, header.streamID <= lastOpened else {
            throw violation("a frame of stream \(header.streamID), which was not opened")
        }
    }

    private mutating func withoutPadding(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        guard header.has(FrameFlags.padded) else { return payload }
        guard let padding = payload.first, Int(padding) < payload.count else {
            throw violation("more padding than frame")
        }
        return UnsafeRawBufferPointer(rebasing: payload[1..<(payload.count - Int(padding))])
    }
}
