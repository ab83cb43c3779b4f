/// Placeholders for many values, in lengths that are powers of two, so that each of the few statements is prepared
/// once.
enum Placeholders {
    private static let sizes = (0...8).reversed().map { 1 << $0 }
    private static let lists = Dictionary(uniqueKeysWithValues: sizes.map { ($0, text(1...$0)) })
    private static let triples = Dictionary(uniqueKeysWithValues: sizes.map { ($0, rows($0, columns: 3)) })

    /// Splits a count into ranges whose lengths are powers of two.
    static func ranges(_ count: Int) -> [Range<Int>] { RowBatches.ranges(count, sizes: sizes) }

    /// The text `?1, ?2` with `count` placeholders.
    static func list(_ count: Int) -> String { lists[count] ?? text(1...count) }

    /// The text `(?1, ?2, ?3), (?4, ?5, ?6)` with `count` rows.
    static func triples(_ count: Int) -> String { triples[count] ?? rows(count, columns: 3) }

    /// The text `(?1, ?2), (?3, ?4)` with `count` rows of so many columns; made anew with each call.
    static func rows(_ count: Int, columns: Int) -> String {
        (0..<count).map { "(\(text($0 * columns + 1...($0 + 1) * columns)))" }.joined(separator: ", ")
    }

    private static func text(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "?\($0)" }.joined(separator: ", ")
    }
}
