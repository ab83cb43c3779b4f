/// Unicode's stream-safe text format (UAX #15, section 13): at most 30 combining marks in a row.
///
/// Swift compares and hashes strings by their normal form, which takes quadratic time in a run of combining marks: a
/// job of 4 MiB could block a worker for hours. No language needs more than a handful. So texts with longer runs are
/// refused where they enter, and all later code may compare strings freely.
enum StreamSafeText {
    static let marksMax = 30

    /// Returns true if no run of combining marks is longer than the format allows.
    static func holds(_ text: String) -> Bool {
        var run = 0
        for scalar in text.unicodeScalars {
            run = isMark(scalar) ? run + 1 : 0
            if run > marksMax { return false }
        }
        return true
    }

    /// Returns true if the scalar has a combining class; skips the lookup for large blocks that have none.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x3100..<0xA66F, 0xAC00..<0xFB00: false
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
