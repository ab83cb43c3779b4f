/// A text in the Liquid syntax, compiled: what a job's content may hold (contract, section 1).
///
/// A list of instructions that only ever goes forward: no loops, no includes, no recursion. So rendering ends, takes
/// time in proportion to the template, and is a function of the template and the device's variables alone.
/// `Documentation.docc/Templates.md` (target Fleet) is the page for people.
public struct Template: Sendable, Equatable {
    /// Bytes of a source at most.
    public static let sourceBytesMax = 16_384
    /// `{% if %}` within `{% if %}` at most.
    public static let depthMax = 16

    /// What is done, in order.
    var instructions: [TemplateInstruction]
    /// The constant texts, one after the other.
    var literals: [UInt8]
    /// The variables that it may ask for, by index.
    public internal(set) var names: [String]
    /// What `{% abort %}` says, by index; empty for none.
    var reasons: [String]

    /// Compiles a source; throws what is wrong with it.
    public init(_ source: String) throws(TemplateProblem) {
        self = try TemplateCompiler.compile(Array(source.utf8))
    }

    init() {
        instructions = []
        literals = []
        names = []
        reasons = []
    }

    /// Whether a text has the marks of a template.
    public static func isIn(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if previous == UInt8(ascii: "{"), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
            previous = byte
        }
        return false
    }

    /// Adds a constant text and says where it stands.
    mutating func literal(_ bytes: some Collection<UInt8>) -> (start: Int32, count: Int32) {
        let start = Int32(literals.count)
        literals.append(contentsOf: bytes)
        return (start, Int32(bytes.count))
    }

    /// The index of a variable.
    mutating func variable(_ name: String) -> Int32 {
        if let index = names.firstIndex(of: name) { return Int32(index) }
        names.append(name)
        return Int32(names.count - 1)
    }

    /// The index of an abort's reason.
    mutating func reason(_ text: String) -> Int32 {
        if let index = reasons.firstIndex(of: text) { return Int32(index) }
        reasons.append(text)
        return Int32(reasons.count - 1)
    }
}

/// One step of a template, in plain numbers, so that a renderer reads it without counting references.
struct TemplateInstruction: Sendable, Equatable {
    enum Operation: UInt8, Sendable {
        /// Writes the constant `left` as it stands.
        case text
        /// Takes `left` as the value in hand.
        case load
        /// Puts the value in hand through the filter `detail` with the arguments `left` and `right`.
        case filter
        /// Writes the value in hand; `detail` is 1 within a JSON string.
        case write
        /// Compares `left` and `right` by `detail`: the flag.
        case compare
        /// The flag and what a comparison says.
        case and
        /// The flag or what a comparison says.
        case or
        /// Goes on at `target` unless the flag is set.
        case jumpUnless
        /// Goes on at `target`.
        case jump
        /// Drops the device with the reason `target`.
        case abort
        /// Remembers where the output is.
        case mark
        /// What was written since the mark is a whole number; it stays, with the constant `left` before it, or nothing.
        case badge
        /// Leaves room for the device's message id.
        case messageID
    }

    var operation: Operation
    var detail: UInt8 = 0
    var left = TemplateOperand()
    var right = TemplateOperand()
    var target: Int32 = 0
}

/// A constant or a variable.
struct TemplateOperand: Sendable, Equatable {
    enum Kind: UInt8, Sendable {
        /// Not given; as a value nothing.
        case absent
        /// A text among the constants.
        case text
        /// A number, as its text among the constants.
        case number
        /// The variable `start`.
        case variable
        case yes
        case no
    }

    var kind = Kind.absent
    var start: Int32 = 0
    var count: Int32 = 0
}

/// How two values are compared.
enum TemplateComparison: UInt8, Sendable {
    case isTrue
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
    case contains
}
