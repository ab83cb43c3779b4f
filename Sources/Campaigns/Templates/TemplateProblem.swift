/// A problem in a template: its position, a description, and a way to fix it.
public struct TemplateProblem: Error, Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column in characters, from 1.
    public var column: Int
    /// The problem in words for people.
    public var detail: String
    /// A correct form.
    public var fix: String?

    /// Creates a problem at a byte of the source.
    init(_ detail: String, in source: [UInt8], at offset: Int, fix: String? = nil) {
        let before = source.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = 1 + before.lazy.filter { $0 == UInt8(ascii: "\n") }.count
        // UTF-8 continuation bytes do not count.
        column = 1 + before[lineStart...].lazy.filter { $0 & 0xC0 != 0x80 }.count
        self.detail = detail
        self.fix = fix
    }

    /// The position and the detail, for a problem's `detail`.
    public var text: String { "line \(line), column \(column): \(detail)" }
}
