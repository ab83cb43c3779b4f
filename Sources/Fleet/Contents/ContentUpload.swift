public import Campaigns
public import Store

/// Content on its way into the ledger: checked, and named by its bytes.
public struct ContentUpload: Sendable {
    /// The id that pushes carry.
    public let id: String
    /// What the ledger takes.
    public let content: NewContent

    /// Checks bytes of a type; nil, with everything that is wrong, for those that cannot be stored.
    ///
    /// - Parameters:
    ///   - id: 1–128 of `[A-Za-z0-9._:-]`.
    ///   - type: What the app does with it, in its own words, 1–64 of the same characters; nil: `content`.
    ///   - contentType: How its bytes are read.
    ///   - bytes: At most 2 MiB.
    ///   - log: Takes what is wrong; pointers are `/id`, `/type` and `/body`.
    public init?(id: String, type: String?, contentType: ContentType, bytes: [UInt8], _ log: inout [Problem]) {
        let before = log.count
        let type = type ?? "content"
        let characters = "of the characters A-Z a-z 0-9 . _ : -"
        if !NameRule.isID(id) {
            log.append(Problem(pointer: "/id", code: .format, detail: "an id is 1 to 128 \(characters)"))
        }
        if !NameRule.isID(type) || type.utf8.count > 64 {
            log.append(Problem(pointer: "/type", code: .format, detail: "a type is 1 to 64 \(characters)"))
        }
        if let problem = contentType.problem(bytes) {
            let code: ProblemCode = bytes.count > ContentType.bytesMax ? .tooLarge : bytes.isEmpty ? .empty : .format
            log.append(Problem(pointer: "/body", code: code, detail: problem.detail, fix: problem.fix))
        }
        guard log.count == before else { return nil }
        self.id = id
        let version = NamedContent.version(of: bytes)
        content = NewContent(type: type, contentType: contentType, version: version, bytes: bytes)
    }

    /// Stores it; what became of it.
    public func put(app: String, in ledger: Ledger, isDryRun: Bool = false) async throws(LedgerError) -> ContentResult {
        let (id, content) = (id, content)
        if isDryRun {
            return try await ledger.rehearse { try $0.putContent(content, app: app, id: id, now: ledger.now()) }
        }
        return try await ledger.write(.synced) { try $0.putContent(content, app: app, id: id, now: ledger.now()) }
    }
}
