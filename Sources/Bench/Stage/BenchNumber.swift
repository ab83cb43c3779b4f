package import Campaigns

/// Measured numbers as text.
enum BenchNumber {
    /// Returns a number rounded to so many digits after the decimal point, in every locale a point.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "0" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// Returns the median, the mean of the middle two for an even count, or 0 for no values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return 0 }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }

    /// Returns the least value that covers a share of all values (nearest rank); nil for no values.
    static func percentile(_ share: Double, of values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return nil }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(last, max(0, rank - 1))]
    }
}

extension JSONValue {
    /// Returns a measured number with three decimal places.
    package static func decimal(_ value: Double) -> JSONValue {
        .number(JSONNumber(text: BenchNumber.text(value, digits: 3)))
    }
}
