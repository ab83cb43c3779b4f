/// What is wrong with a template: where, what, and how to mend it.
public struct TemplateProblem: Error, Hashable, Sendable {
    /// Counts from 1.
    public var line: Int
    /// Characters from the line's beginning, from 1.
    public var column: Int
    /// What is wrong.
    public var detail: String
    /// What would be right.
    public var fix: String?

    /// At a byte of the source.
    init(_ detail: String, in source: [UInt8], at offset: Int, fix: String? = nil) {
        let before = source.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = 1 + before.lazy.filter { $0 == UInt8(ascii: "\n") }.count
        // Bytes that go on with a character do not count.
        column = 1 + before[lineStart...].lazy.filter { $0 & 0xC0 != 0x80 }.count
        self.detail = detail
        self.fix = fix
    }

    /// Place and detail, for a problem's `detail`.
    public var text: String { "line \(line), column \(column): \(detail)" }
}
