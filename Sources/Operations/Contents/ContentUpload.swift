package import Campaigns
package import Store

/// Content on its way into the ledger, checked and with its version.
package struct ContentUpload: Sendable {
    /// The id that pushes carry.
    package let id: String
    /// The content in the ledger's form.
    package let content: NewContent

    /// Checks bytes of a type; returns nil, and appends all problems, when they cannot be stored.
    ///
    /// - Parameters:
    ///   - id: 1–128 of `[A-Za-z0-9._:-]`.
    ///   - type: The app's own word for its use, 1–64 of the same characters; nil: `content`.
    ///   - contentType: The type of the bytes.
    ///   - bytes: At most 2 MiB.
    ///   - log: Receives the problems; their pointers are `/id`, `/type` and `/body`.
    package init?(id: String, type: String?, contentType: ContentType, bytes: [UInt8], _ log: inout [Problem]) {
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

    /// Stores the content and returns the result.
    package func put(app: String, in ledger: Ledger, isDryRun: Bool = false) async throws(LedgerError) -> ContentResult
    {
        let (id, content) = (id, content)
        if isDryRun {
            return try await ledger.rehearse { try $0.putContent(content, app: app, id: id, now: ledger.now()) }
        }
        return try await ledger.write(.synced) { try $0.putContent(content, app: app, id: id, now: ledger.now()) }
    }
}
