/// A position in a text, for people: both numbers begin at 1, the column counts characters (Unicode scalars).
public struct JSONPosition: Hashable, Sendable {
    /// The line.
    public var line: Int
    /// The column within it.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A problem in a JSON text.
public struct JSONProblem: Hashable, Sendable {
    /// The value in which the problem is.
    public var pointer: JSONPointer
    /// The position in the text.
    public var position: JSONPosition
    /// The stable code.
    public var code: ProblemCode
    /// The problem in words for people.
    public var detail: String
    /// The way to fix it.
    public var fix: String?

    /// The problem in the form of every answer, with the position in front of the detail.
    public var problem: Problem {
        let location = "line \(position.line), column \(position.column): "
        return Problem(pointer: pointer.text, code: code, detail: location + detail, fix: fix)
    }
}

/// The result of reading a JSON text.
public struct JSONReading: Sendable {
    /// The value; nil if parsing did not reach the end of the text.
    ///
    /// If there are problems, the value is a best guess in which unreadable parts are `null`: it serves to find further
    /// problems and must not be used.
    public let value: JSONValue?
    /// All problems found, at most 100, in the order of the text; empty if the text is valid.
    public let problems: [JSONProblem]
}

/// A strict JSON reader (RFC 8259) that finds as many mistakes as possible.
///
/// It keeps the digits of numbers and refuses duplicate names. It continues after a mistake where it can, so that a
/// producer sees all of them at once. It takes linear time and never traps.
public enum JSONReader {
    /// The limits of a text.
    public struct Limits: Sendable {
        /// The length of the whole text, in bytes.
        public var bytesMax: Int
        /// The nesting depth of objects and arrays.
        public var depthMax: Int
        /// The number of all values; each costs memory, however few bytes it has in the text.
        public var valuesMax: Int

        /// Creates limits; the defaults are for a job.
        ///
        /// They are the contract's 4 MiB and depth of 16, and half a million values, enough for 10,000 devices with all
        /// fields.
        public init(bytesMax: Int = 4 << 20, depthMax: Int = 16, valuesMax: Int = 500_000) {
            self.bytesMax = bytesMax
            self.depthMax = depthMax
            self.valuesMax = valuesMax
        }
    }

    /// The number of problems after which reading stops: nobody fixes more at once.
    static let problemsMax = 100
    /// The length limit of names: no known field is longer, and comparisons stay cheap for any input.
    static let nameBytesMax = 1024
    /// The length limit of numbers.
    static let numberBytesMax = 1000

    /// Reads one JSON text.
    public static func read(_ bytes: [UInt8], limits: Limits = Limits()) -> JSONReading {
        bytes.withUnsafeBufferPointer { read($0, limits: limits) }
    }

    /// Reads one JSON text; the caller owns the memory for the duration of the call.
    public static func read(_ bytes: UnsafeBufferPointer<UInt8>, limits: Limits = Limits()) -> JSONReading {
        var parser = JSONParser(bytes, limits: limits)
        let value = parser.document()
        return JSONReading(value: value, problems: parser.problems)
    }

    /// Returns the positions at which the values of the pointers begin; leaves out pointers to nothing.
    public static func positions(of pointers: Set<String>, in bytes: [UInt8]) -> [String: JSONPosition] {
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(buffer, limits: Limits())
            parser.wanted = pointers
            _ = parser.document()
            return parser.found
        }
    }
}
