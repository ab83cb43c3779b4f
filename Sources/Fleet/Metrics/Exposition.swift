/// Metrics in Prometheus' text format, version 0.0.4: what a scrape of `/metrics` answers.
///
/// Names and units follow Prometheus' naming rules: base units, `_total` for what counts up, no label whose values have
/// no end (no token, no user, no campaign).
public struct Exposition {
    /// What a series of one name is.
    public enum Kind: String {
        /// Counts up while the process lives.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts in buckets.
        case histogram
    }

    /// The value of the `content-type` field.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// What is written so far.
    public private(set) var text = ""

    /// Begins the series of a name; all its samples follow before the next name.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// One sample.
    public mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// One sample that is no whole number.
    public mutating func sample(_ name: String, _ labels: [(String, String)] = [], seconds value: Double) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// A name with one sample and no labels.
    public mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// A name with one sample that is no whole number.
    public mutating func single(_ name: String, _ kind: Kind, _ help: String, seconds value: Double) {
        family(name, kind, help)
        sample(name, [], seconds: value)
    }

    /// The samples of a histogram with these labels; `counts` has one more than there are bounds, not cumulated.
    mutating func histogram(
        _ name: String,
        _ labels: [(String, String)],
        _ bounds: [Double],
        _ counts: [UInt64],
        sum: Double
    ) {
        var count: UInt64 = 0
        for (bound, more) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
            count += more
            sample(name + "_bucket", labels + [("le", bound)], count)
        }
        sample(name + "_sum", labels, seconds: sum)
        sample(name + "_count", labels, count)
    }

    /// Nothing yet.
    public init() {}

    private static func braced(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    /// A label's value: backslash, quote and line feed have escapes.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
