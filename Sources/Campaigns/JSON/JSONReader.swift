/// A place in a text, for people: both numbers begin at 1, the column counts characters (Unicode scalars).
public struct JSONPosition: Hashable, Sendable {
    /// The line.
    public var line: Int
    /// The column within it.
    public var column: Int

    /// A place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// One thing that is wrong with a JSON text.
public struct JSONProblem: Hashable, Sendable {
    /// The value in which it was found.
    public var pointer: JSONPointer
    /// Where in the text.
    public var position: JSONPosition
    /// The stable code.
    public var code: ProblemCode
    /// What is wrong, for people.
    public var detail: String
    /// How to mend it.
    public var fix: String?

    /// The same in the form of every answer, with the place in front of the detail.
    public var problem: Problem {
        let place = "line \(position.line), column \(position.column): "
        return Problem(pointer: pointer.text, code: code, detail: place + detail, fix: fix)
    }
}

/// What became of a JSON text.
public struct JSONReading: Sendable {
    /// The value; nil when the text could not be followed to its end.
    ///
    /// With problems it is a best guess (what could not
    /// be read is `null`) that serves to find further problems, never to be used.
    public let value: JSONValue?
    /// All problems that were found, at most 100, in the order of the text; empty when the text is good.
    public let problems: [JSONProblem]
}

/// A strict JSON reader (RFC 8259) that finds all mistakes it can.
///
/// It keeps the digits of numbers, refuses duplicate names, and goes on after a mistake where it can, so that a
/// producer hears of all of them at once. It takes linear time and never traps.
public enum JSONReader {
    /// What a text may not exceed.
    public struct Limits: Sendable {
        /// Bytes of the whole text.
        public var bytesMax: Int
        /// Objects and arrays within each other.
        public var depthMax: Int
        /// Values in all: each costs memory, however few bytes it has in the text.
        public var valuesMax: Int

        /// Limits; the defaults are for a job: the contract's 4 MiB and 16, and half a million values, which is more than
        /// 10,000 devices with all that they may have.
        public init(bytesMax: Int = 4 << 20, depthMax: Int = 16, valuesMax: Int = 500_000) {
            self.bytesMax = bytesMax
            self.depthMax = depthMax
            self.valuesMax = valuesMax
        }
    }

    /// After so many problems reading stops: nobody mends more at once.
    static let problemsMax = 100
    /// Longer names are refused: no field is, and comparing names stays cheap whatever a stranger sends.
    static let nameBytesMax = 1024
    /// Longer numbers are refused.
    static let numberBytesMax = 1000

    /// Reads one JSON text.
    public static func read(_ bytes: [UInt8], limits: Limits = Limits()) -> JSONReading {
        bytes.withUnsafeBufferPointer { read($0, limits: limits) }
    }

    /// Reads one JSON text from memory that the caller owns for the time of the call.
    public static func read(_ bytes: UnsafeBufferPointer<UInt8>, limits: Limits = Limits()) -> JSONReading {
        var parser = JSONParser(bytes, limits: limits)
        let value = parser.document()
        return JSONReading(value: value, problems: parser.problems)
    }

    /// The places where the values of those pointers begin; pointers that lead nowhere are left out.
    public static func positions(of pointers: Set<String>, in bytes: [UInt8]) -> [String: JSONPosition] {
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(buffer, limits: Limits())
            parser.wanted = pointers
            _ = parser.document()
            return parser.found
        }
    }
}
