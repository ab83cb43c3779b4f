/// Splits CSV (RFC 4180) into records, piece by piece; a line ends with CRLF or LF outside quotes.
struct CSVRecordScanner {
    /// The scanner's position within a record.
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// After a quote within a quoted field: the field's end, or the first of two quotes.
        case quoteInQuoted
        /// After a carriage return outside quotes.
        case carriageReturn
        /// The record is too long; the remainder of its line is skipped.
        case skipping
    }

    enum Mistake {
        /// A quote in the middle of a field, or text after a closing quote.
        case strayQuote
        case tooLong
        case tooManyFields
        case unclosedQuote
    }

    /// The beginning of a field.
    struct Location {
        var line: Int
        var column: Int
    }

    /// The maximum number of fields in a record; even an empty field, which has no bytes, costs memory.
    static let fieldsMax = 1024

    /// The bytes of all fields, concatenated, without their quotes.
    private(set) var bytes: [UInt8] = []
    /// The offset in ``bytes`` at which each field ends.
    private(set) var ends: [Int] = []
    private(set) var locations: [Location] = []
    private(set) var mistake: (kind: Mistake, location: Location)?
    private var state = State.fieldStart
    private var line = 1
    private var column = 1
    private var fieldLocation = Location(line: 1, column: 1)

    var start: Location { locations.first ?? fieldLocation }

    /// The number of fields.
    var count: Int { ends.count }

    /// The range of a field in ``bytes``.
    func range(_ field: Int) -> Range<Int> {
        (field == 0 ? 0 : ends[field - 1])..<ends[field]
    }

    /// True if the record is an empty line.
    var isBlank: Bool { ends.count == 1 && ends[0] == 0 && mistake == nil }

    /// Reads up to the end of the next record; returns the number of bytes taken, and true if it is complete.
    mutating func scan(_ piece: UnsafeBufferPointer<UInt8>, from start: Int) -> (taken: Int, isComplete: Bool) {
        var offset = start
        while offset < piece.count {
            switch state {
            case .unquoted, .quoted:
                let run = plainRun(piece, from: offset)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: piece[offset..<offset + run]))
                column += run
                offset += run
                if bytes.count > AudienceFileReader.lineBytesMax { giveUp(.tooLong) }
                guard offset < piece.count, state == .unquoted || state == .quoted else { continue }
            case .fieldStart, .quoteInQuoted, .carriageReturn, .skipping: break
            }
            let byte = piece[offset]
            offset += 1
            if take(byte) { return (offset - start, true) }
        }
        return (offset - start, false)
    }

    /// Ends the last record at the end of the file; returns false if there is none.
    mutating func finish() -> Bool {
        if state == .quoted { mistake = mistake ?? (.unclosedQuote, fieldLocation) }
        let isEmpty = state == .fieldStart && ends.isEmpty
        if !isEmpty, state != .skipping { endField() }
        state = .fieldStart
        return !isEmpty
    }

    /// Makes the scanner ready for the next record.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        locations.removeAll(keepingCapacity: true)
        mistake = nil
        fieldLocation = Location(line: line, column: column)
    }

    /// Counts the bytes from `offset` on that have no special meaning in the current state.
    private func plainRun(_ piece: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
        var end = offset
        if state == .quoted {
            while end < piece.count, piece[end] != UInt8(ascii: "\""), piece[end] != 0x0A { end += 1 }
        } else {
            while end < piece.count {
                switch piece[end] {
                case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: return end - offset
                default: end += 1
                }
            }
        }
        return end - offset
    }

    /// Takes one byte with a special meaning; returns true if it ends the record.
    private mutating func take(_ byte: UInt8) -> Bool {
        defer { advance(over: byte) }
        switch (state, byte) {
        case (.skipping, 0x0A):
            state = .fieldStart
            return true
        case (.skipping, _): return false
        case (.fieldStart, UInt8(ascii: "\"")):
            state = .quoted
            return false
        case (.quoted, UInt8(ascii: "\"")):
            state = .quoteInQuoted
            return false
        case (.quoteInQuoted, UInt8(ascii: "\"")):
            bytes.append(byte)
            state = .quoted
            return false
        case (.quoted, _):
            bytes.append(byte)
            return false
        case (_, UInt8(ascii: ",")):
            guard ends.count < Self.fieldsMax - 1 else {
                giveUp(.tooManyFields)
                return false
            }
            endField()
            fieldLocation = Location(line: line, column: column + 1)
            return false
        case (_, 0x0A):
            endField()
            return true
        case (_, 0x0D) where state != .carriageReturn:
            state = .carriageReturn
            return false
        case (.fieldStart, _):
            bytes.append(byte)
            state = .unquoted
            return false
        default:
            giveUp(.strayQuote)
            return false
        }
    }

    private mutating func advance(over byte: UInt8) {
        column += 1
        if byte == 0x0A {
            line += 1
            column = 1
        }
    }

    private mutating func endField() {
        ends.append(bytes.count)
        locations.append(fieldLocation)
        state = .fieldStart
    }

    private mutating func giveUp(_ kind: Mistake) {
        let isOfRecord = kind == .tooLong || kind == .tooManyFields
        mistake = mistake ?? (kind, isOfRecord ? start : Location(line: line, column: column))
        state = .skipping
    }
}
