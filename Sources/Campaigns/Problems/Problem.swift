/// A problem of a job, in the form that every answer uses (contract, section 2).
public struct Problem: Hashable, Sendable {
    /// A JSON pointer (RFC 6901) to the value, `""` for the whole document.
    public var pointer: String
    /// The stable code, for programs; see ``ProblemCode``.
    public var code: String
    /// The problem in words for people.
    public var detail: String
    /// The way to fix it.
    public var fix: String?

    /// Creates a problem.
    public init(pointer: String, code: String, detail: String, fix: String? = nil) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}
