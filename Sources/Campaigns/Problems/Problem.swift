/// One thing that is wrong with a job, in the form every answer uses (contract, section 2).
public struct Problem: Hashable, Sendable {
    /// JSON pointer (RFC 6901) to the value, `""` for the whole document.
    public var pointer: String
    /// Stable, for programs; see ``ProblemCode``.
    public var code: String
    /// What is wrong, for people.
    public var detail: String
    /// How to mend it.
    public var fix: String?

    /// A problem at a place.
    public init(pointer: String, code: String, detail: String, fix: String? = nil) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}
