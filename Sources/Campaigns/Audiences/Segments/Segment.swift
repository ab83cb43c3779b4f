/// A boolean expression over a registered device's traits: `league:laliga && !muted && app_version >= 3.2`.
///
/// * A word alone is a tag: `sport`, `league:laliga`, `"with a blank"`.
/// * `locale == es` matches `es-ES` too (RFC 4647, section 3.3.1).
/// * `time_zone`, `provider` (or `platform`: `ios`, `android`), `environment` and `permission` compare with `==` and
///   `!=`.
/// * `app_version` and literals with two dots or more compare as versions, `registered_at` as an instant.
/// * Every other name is an attribute: against a number it compares as an exact number, against a text by bytes.
/// * `opened(derby)` holds for devices that have opened that campaign (``TrackedQuestion``), `opened(derby, since: 7d)`
///   for those that did so in the last seven days.
/// * `!` binds tightest, then `&&`, then `||`; parentheses group. A trait that a device lacks equals nothing: `a != b`
///   is `!(a == b)` and holds, and `a < b` does not.
public struct Segment: Hashable, Sendable {
    /// The normalized spelling, the same for equivalent spellings: it names the audience.
    public let text: String
    /// Input that is accepted, but is perhaps not what the author meant.
    public let warnings: [SegmentProblem]
    let root: SegmentNode
    private let program: SegmentProgram

    /// The length limit of an expression, in bytes.
    public static let bytesMax = 4096
    /// The limit of tags and comparisons in an expression.
    public static let termsMax = 100
    /// The nesting limit of parentheses and negations.
    public static let depthMax = 16

    /// Parses an expression, or throws the column at which it cannot be read.
    public init(_ expression: String) throws(SegmentProblem) {
        var parser = try SegmentParser(expression)
        let root = try parser.expression().normalized
        (self.root, warnings) = (root, parser.warnings)
        text = root.text(within: .any)
        program = SegmentProgram(root)
    }

    /// The questions to tracking data, each once; everything else is answered by the device's own traits.
    public var questions: [TrackedQuestion] { program.questions }

    /// Returns true if a device matches; `answer` says if the question at an index of ``questions`` holds for it.
    public func matches(_ device: PackedTraits, answer: (Int) -> Bool) -> Bool {
        program.matches(device, answer: answer)
    }

    /// Returns true if a device without any tracking event matches.
    public func matches(_ device: PackedTraits) -> Bool { program.matches(device) { _ in false } }

    /// Returns true if a device matches; packs its traits, so that there is one evaluator.
    public func matches(_ device: DeviceTraits) -> Bool {
        device.packed().withUnsafeBytes { bytes in PackedTraits(bytes).map { matches($0) } ?? false }
    }

    /// Compares the audiences that the segments name.
    public static func == (left: Segment, right: Segment) -> Bool { left.text == right.text }

    /// Hashes the audience that the segment names.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An error or a warning about an expression.
public struct SegmentProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code.
    public var code: ProblemCode
    /// The number of the character, from 1.
    public var column: Int
    /// The problem in words for people.
    public var detail: String
    /// The way to fix it.
    public var fix: String?

    /// One line for people.
    public var description: String { "column \(column): \(detail)" + (fix.map { " (\($0))" } ?? "") }
}
