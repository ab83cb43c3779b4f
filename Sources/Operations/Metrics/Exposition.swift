/// Metrics in Prometheus' text format, version 0.0.4: the answer to a scrape of `/metrics`.
///
/// Names and units follow Prometheus' naming rules: base units, `_total` for counters, and no label with unlimited
/// values (no token, no user, no campaign).
package struct Exposition {
    /// The type of a metric.
    package enum Kind: String {
        /// A value that only grows while the process lives.
        case counter
        /// A value that goes up and down.
        case gauge
        /// Counts in buckets.
        case histogram
    }

    /// The value of the `content-type` field.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text written so far.
    package private(set) var text = ""

    /// Begins a metric; all its samples must follow before the next one.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a sample.
    package mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Writes a sample that is not a whole number.
    package mutating func sample(_ name: String, _ labels: [(String, String)] = [], seconds value: Double) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Writes a metric with one sample and no labels.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Writes a metric with one sample that is not a whole number.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, seconds value: Double) {
        family(name, kind, help)
        sample(name, [], seconds: value)
    }

    /// Writes the samples of a histogram; `counts` has one more element than `bounds`, and is not cumulative.
    package mutating func histogram(
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

    /// Creates an empty text.
    package init() {}

    private static func braced(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    /// Returns a label's value with backslash, quote and line feed escaped.
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
