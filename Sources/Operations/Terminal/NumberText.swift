/// Formats numbers for people.
package enum NumberText {
    /// Returns a number with its thousands separated: `4,000,000`.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// Returns a share with one decimal, rounded down, so that 100 % means all: `99.9 %`; empty if the whole is 0.
    package static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "" }
        let (product, overflow) = part.multipliedReportingOverflow(by: 1000)
        let permille = overflow ? part / max(1, whole / 1000) : product / whole
        return "\(permille / 10).\(permille % 10) %"
    }

    /// Pads a text with spaces; a longer text stays as it is.
    static func padded(_ text: String, to width: Int, _ alignment: TextTable.Alignment = .left) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return alignment == .left ? text + fill : fill + text
    }
}
