/// Sending requests.
extension ClientState {
    /// Queues a filled entry; after GOAWAY the request is closed at once, unsent.
    mutating func enqueue(_ index: Int32) {
        let stream = table[index]
        stream.pointee.streamID = nextStreamID
        nextStreamID = nextStreamID > Int32.max - 2 ? 0 : nextStreamID + 2
        table.enlist(index)
        guard goAwayLast == nil, !isBroken else {
            stream.pointee.phase = .closed
            stream.pointee.closeCode = HTTP2ErrorCode.refusedStream
            return table.noteClosed(index)
        }
        stream.pointee.phase = .queued
        stream.pointee.isInLine = true
        starting.append(index)
    }

    /// True if something could be sent.
    var hasPendingBytes: Bool {
        !output.isEmpty || (!isBroken && (starting.first != nil || continuing.first != nil))
    }

    /// Fills `buffer` until `threshold` bytes are reached or nothing more may be sent; returns the bytes filled.
    ///
    /// A request's frame is not split, so it may end above the threshold.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) -> Int {
        precondition(
            buffer.count >= threshold + HTTP2ClientSession.frameBytesMax,
            "a buffer of \(buffer.count) bytes has no room for a frame above \(threshold)"
        )
        guard let base = buffer.baseAddress else { return 0 }
        var filled = 0
        while filled < threshold {
            if !output.isEmpty {
                filled += output.take(threshold - filled, to: base + filled)
                continue
            }
            let room = UnsafeMutableRawBufferPointer(start: base + filled, count: buffer.count - filled)
            guard !isBroken, let count = continueNext(room) ?? startNext(room) else { break }
            filled += count
        }
        return filled
    }

    /// Sends more of the oldest unfinished body; nil when there is none or the peer's windows are used up.
    private mutating func continueNext(_ room: UnsafeMutableRawBufferPointer) -> Int? {
        while let index = continuing.first {
            let stream = table[index]
            guard stream.pointee.phase == .open else {
                continuing.removeFirst()
                leaveLine(index)
                continue
            }
            guard sendWindow > 0 else { return nil }
            guard stream.pointee.sendWindow > 0 else {
                // A WINDOW_UPDATE queues it again.
                continuing.removeFirst()
                stream.pointee.isInLine = false
                continue
            }
            let count = writeData(stream, room)
            if stream.pointee.isSent {
                continuing.removeFirst()
                stream.pointee.isInLine = false
                table.giveBackArena(of: index)
            }
            return count
        }
        return nil
    }

    /// Sends the next request; nil when there is none or the peer allows no other stream.
    private mutating func startNext(_ room: UnsafeMutableRawBufferPointer) -> Int? {
        while let index = starting.first {
            let stream = table[index]
            guard stream.pointee.phase == .queued else {
                starting.removeFirst()
                leaveLine(index)
                continue
            }
            // Bodies are sent in the order of their requests.
            guard indexes.count < peer.maxConcurrentStreams, sendWindow > 0,
                continuing.first == nil
            else { return nil }
            starting.removeFirst()
            stream.pointee.isInLine = false
            stream.pointee.phase = .open
            stream.pointee.sendWindow = peer.initialWindow
            lastOpened = stream.pointee.streamID
            indexes.insert(stream.pointee.streamID, index: index)
            var count = writeHeaders(stream, room)
            if !stream.pointee.isSent {
                let left = UnsafeMutableRawBufferPointer(rebasing: room[count...])
                // Nearly always the whole body fits and the windows are wide.
                if count > 0, stream.pointee.body.count + FrameHeader.byteCount <= left.count,
                    stream.pointee.sendWindow > 0
                {
                    count += writeData(stream, left)
                }
                if !stream.pointee.isSent {
                    stream.pointee.isInLine = true
                    continuing.append(index)
                    return count
                }
            }
            table.giveBackArena(of: index)
            return count
        }
        return nil
    }

    /// Marks an entry as unqueued and frees it unless its end is still to be reported.
    private mutating func leaveLine(_ index: Int32) {
        table[index].pointee.isInLine = false
        if table[index].pointee.phase == .abandoned { table.giveBack(index) }
    }

    /// Writes a request's HEADERS; returns the bytes written, 0 when they are sent through ``output``.
    private mutating func writeHeaders(
        _ stream: UnsafeMutablePointer<ClientStream>,
        _ room: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let headers = stream.pointee.headers, let base = room.baseAddress else { return 0 }
        let path = stream.pointee.requestBytes(stream.pointee.path)
        let perRequest = stream.pointee.requestBytes(stream.pointee.perRequest)
        encoder.hold(headers, perRequest: perRequest)
        let isWhole = stream.pointee.body.count == 0
        stream.pointee.isSent = isWhole
        let endStream = isWhole ? FrameFlags.endStream : 0
        let countMax = encoder.byteCountMax(path: path.count, perRequest: perRequest.count)
        guard countMax <= FrameHeader.payloadBytesMax else {
            writeLongHeaders(stream.pointee.streamID, endStream: endStream, path, perRequest, countMax)
            return 0
        }
        let count = encoder.write(path: path, perRequest: perRequest, to: base + FrameHeader.byteCount)
        FrameHeader(
            length: count,
            type: FrameType.headers,
            flags: FrameFlags.endHeaders | endStream,
            streamID: stream.pointee.streamID
        ).write(to: base)
        return FrameHeader.byteCount + count
    }

    /// Writes a header block that is too long for one frame as HEADERS and CONTINUATION, with nothing between them.
    private mutating func writeLongHeaders(
        _ streamID: Int32,
        endStream: UInt8,
        _ path: UnsafeRawBufferPointer,
        _ perRequest: UnsafeRawBufferPointer,
        _ countMax: Int
    ) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: countMax, alignment: 16)
        defer { block.deallocate() }
        guard let base = block.baseAddress else { return }
        let count = encoder.write(path: path, perRequest: perRequest, to: base)
        for start in stride(from: 0, to: count, by: FrameHeader.payloadBytesMax) {
            let end = min(count, start + FrameHeader.payloadBytesMax)
            output.append(
                FrameHeader(
                    length: end - start,
                    type: start == 0 ? FrameType.headers : FrameType.continuation,
                    flags: (start == 0 ? endStream : 0) | (end == count ? FrameFlags.endHeaders : 0),
                    streamID: streamID
                )
            )
            output.append(UnsafeRawBufferPointer(rebasing: block[start..<end]))
        }
    }

    /// Writes as much of a body as one frame, the windows and the room allow.
    private mutating func writeData(
        _ stream: UnsafeMutablePointer<ClientStream>,
        _ room: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let base = room.baseAddress, let arena = stream.pointee.arena else {
            preconditionFailure("a body that was not sent has no memory")
        }
        let left = stream.pointee.body.count - stream.pointee.bodySent
        let allowed = min(sendWindow, stream.pointee.sendWindow, peer.maxFrameBytes)
        let count = min(left, allowed, room.count - FrameHeader.byteCount)
        let isLast = count == left
        FrameHeader(
            length: count,
            type: FrameType.data,
            flags: isLast ? FrameFlags.endStream : 0,
            streamID: stream.pointee.streamID
        ).write(to: base)
        let from = arena + stream.pointee.body.start + stream.pointee.bodySent
        (base + FrameHeader.byteCount).copyMemory(from: from, byteCount: count)
        stream.pointee.bodySent += count
        stream.pointee.isSent = isLast
        stream.pointee.sendWindow -= count
        sendWindow -= count
        return FrameHeader.byteCount + count
    }

    // MARK: Windows

    /// Widens the window of the connection or a stream (RFC 9113 section 6.9).
    mutating func widen(_ streamID: Int32, by increment: Int) throws(HTTP2Error) {
        guard increment > 0 else { throw violation("WINDOW_UPDATE by 0") }
        guard streamID != 0 else {
            sendWindow += increment
            guard sendWindow <= PeerSettings.windowBytesMax else { throw windowOverflow() }
            return
        }
        guard let index = indexes.index(of: streamID) else { return }
        table[index].pointee.sendWindow += increment
        guard table[index].pointee.sendWindow <= PeerSettings.windowBytesMax else { throw windowOverflow() }
        resume(index)
    }

    /// Changes the window of every stream, as SETTINGS do (RFC 9113 section 6.9.2).
    mutating func changeInitialWindow(to bytes: UInt32) throws(HTTP2Error) {
        guard bytes <= UInt32(PeerSettings.windowBytesMax) else { throw windowOverflow() }
        let change = Int(bytes) - peer.initialWindow
        peer.initialWindow = Int(bytes)
        guard change != 0 else { return }
        var overflow = false
        for index in 0..<Int32(table.capacity) where table[index].pointee.phase == .open {
            table[index].pointee.sendWindow += change
            if table[index].pointee.sendWindow > PeerSettings.windowBytesMax { overflow = true }
            resume(index)
        }
        if overflow { throw windowOverflow() }
    }

    /// Queues a stream again whose body waited for its window.
    private mutating func resume(_ index: Int32) {
        let stream = table[index]
        guard !stream.pointee.isSent, !stream.pointee.isInLine, stream.pointee.sendWindow > 0 else { return }
        stream.pointee.isInLine = true
        continuing.append(index)
    }

    private mutating func windowOverflow() -> HTTP2Error {
        failure(HTTP2ErrorCode.flowControlError, .protocolViolation, "a window beyond 2³¹−1")
    }
}
