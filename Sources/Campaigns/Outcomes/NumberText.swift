/// Formats numbers for people.
public enum NumberText {
    /// Returns a number with its thousands separated: `4,000,000`.
    public static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// Returns a count with its noun in the right number: `1 device`, `4,000 devices`.
    public static func counted(_ number: Int, _ one: String, _ several: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : several)"
    }

    /// Returns a share, rounded to one decimal: `12.5 %`; empty if the whole is 0.
    ///
    /// `0.0 %` means none and `100.0 %` all: a smaller share than rounds to a tenth is `<0.1 %`, and one that would
    /// round to all is `99.9 %`.
    public static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "" }
        let share = Double(part) * 1000 / Double(whole)
        if part > 0, share < 0.5 { return "<0.1 %" }
        let rounded = Int(share.rounded())
        let permille = part < whole ? min(rounded, 999) : rounded
        return "\(permille / 10).\(permille % 10) %"
    }
}
