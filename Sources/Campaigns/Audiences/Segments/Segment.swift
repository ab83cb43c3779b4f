/// A boolean expression over what the registry knows of a device: `league:laliga && !muted && app_version >= 3.2`.
///
/// * A word alone is a tag: `sport`, `league:laliga`, `"with a blank"`.
/// * `locale == es` takes `es-ES` too (RFC 4647, section 3.3.1); `time_zone`, `provider` (or `platform`: `ios`, `android`),
///   `environment` and `permission` compare with `==` and `!=`.
/// * `app_version` and literals with two dots or more compare as versions, `registered_at` as an instant.
/// * Every other name is an attribute: against a number it compares as an exact number, against a text by bytes.
/// * `opened(derby)` holds for devices that have opened that campaign (``TrackedQuestion``), `opened(derby, since: 7d)`
///   for those that did so of late.
/// * `!`, `&&`, `||` and parentheses, `!` binding tightest and `||` least. What a device lacks is equal to nothing, so
///   `a != b` is `!(a == b)` and holds for it, and `a < b` does not.
public struct Segment: Hashable, Sendable {
    /// The one spelling of expressions that are alike: it names the audience.
    public let text: String
    /// What is accepted, but perhaps not what was meant.
    public let warnings: [SegmentProblem]
    let root: SegmentNode
    private let program: SegmentProgram

    /// Bytes of an expression.
    public static let bytesMax = 4096
    /// Tags and comparisons in an expression.
    public static let termsMax = 100
    /// Parentheses and negations within each other.
    public static let depthMax = 16

    /// Reads an expression, or says at which column it cannot be read.
    public init(_ expression: String) throws(SegmentProblem) {
        var parser = try SegmentParser(expression)
        let root = try parser.expression().normalized
        (self.root, warnings) = (root, parser.warnings)
        text = root.text(within: .any)
        program = SegmentProgram(root)
    }

    /// What is asked of tracking, each question once; the rest is asked of the device itself.
    public var questions: [TrackedQuestion] { program.questions }

    /// Whether a device is meant; `answer` says whether the question of a place holds for it.
    public func matches(_ device: PackedTraits, answer: (Int) -> Bool) -> Bool {
        program.matches(device, answer: answer)
    }

    /// Whether a device is meant that no phone has said anything of.
    public func matches(_ device: PackedTraits) -> Bool { program.matches(device) { _ in false } }

    /// Whether a device is meant; packs its traits, so that there is one evaluator.
    public func matches(_ device: DeviceTraits) -> Bool {
        device.packed().withUnsafeBytes { bytes in PackedTraits(bytes).map { matches($0) } ?? false }
    }

    /// By the audience that they name.
    public static func == (left: Segment, right: Segment) -> Bool { left.text == right.text }

    /// By the audience that it names.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Why an expression cannot be read, or what is odd about it.
public struct SegmentProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code.
    public var code: ProblemCode
    /// The character at which it stands, from 1.
    public var column: Int
    /// What is wrong.
    public var detail: String
    /// How to mend it.
    public var fix: String?

    /// One line for people.
    public var description: String { "column \(column): \(detail)" + (fix.map { " (\($0))" } ?? "") }
}
