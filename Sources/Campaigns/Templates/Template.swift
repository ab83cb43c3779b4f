/// A compiled text in the Liquid syntax, which a job's content may contain (contract, section 1).
///
/// It is a list of instructions that only runs forward: no loops, no includes, no recursion. So rendering ends, takes
/// time proportional to the template, and depends only on the template and the device's variables. The user guide is
/// `Documentation.docc/Templates.md` (target Fleet).
public struct Template: Sendable, Equatable {
    /// The maximum length of a source, in bytes.
    public static let sourceBytesMax = 16_384
    /// The nesting limit of `{% if %}`.
    public static let depthMax = 16

    var instructions: [TemplateInstruction]
    /// The constant texts, concatenated.
    var literals: [UInt8]
    /// The variables that it may use, by index.
    public internal(set) var names: [String]
    /// The reasons of `{% abort %}`, by index; an empty text for none.
    var reasons: [String]

    /// Compiles a source, or throws its first problem.
    public init(_ source: String) throws(TemplateProblem) {
        self = try TemplateCompiler.compile(Array(source.utf8))
    }

    init() {
        instructions = []
        literals = []
        names = []
        reasons = []
    }

    /// Returns true if a text contains template marks.
    public static func isIn(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if previous == UInt8(ascii: "{"), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
            previous = byte
        }
        return false
    }

    /// Appends a constant text and returns its position.
    mutating func literal(_ bytes: some Collection<UInt8>) -> (start: Int32, count: Int32) {
        let start = Int32(literals.count)
        literals.append(contentsOf: bytes)
        return (start, Int32(bytes.count))
    }

    /// Returns the index of a variable, which is added if necessary.
    mutating func variable(_ name: String) -> Int32 {
        if let index = names.firstIndex(of: name) { return Int32(index) }
        names.append(name)
        return Int32(names.count - 1)
    }

    /// Returns the index of an abort's reason, which is added if necessary.
    mutating func reason(_ text: String) -> Int32 {
        if let index = reasons.firstIndex(of: text) { return Int32(index) }
        reasons.append(text)
        return Int32(reasons.count - 1)
    }
}

/// An instruction of a template, in plain numbers, so that a renderer reads it without reference counting.
struct TemplateInstruction: Sendable, Equatable {
    enum Operation: UInt8, Sendable {
        /// Writes the constant `left` unchanged.
        case text
        /// Loads `left` as the current value.
        case load
        /// Applies the filter `detail` with the arguments `left` and `right` to the current value.
        case filter
        /// Writes the current value; `detail` is the number of JSON strings around it.
        case write
        /// Sets the flag to the comparison `detail` of `left` and `right`.
        case compare
        /// Combines the flag with a comparison by "and".
        case and
        /// Combines the flag with a comparison by "or".
        case or
        /// Jumps to `target` unless the flag is set.
        case jumpUnless
        /// Jumps to `target`.
        case jump
        /// Drops the device, with the reason `target`.
        case abort
        /// Saves the position of the output.
        case mark
        /// Replaces the output since the mark by the constant `left` and the integer in it, or by nothing if it is
        /// empty.
        case badge
        /// Reserves space for the device's message id.
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
        /// Not given; as a value, nothing.
        case absent
        /// A text in the constants.
        case text
        /// A number, as text in the constants.
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
