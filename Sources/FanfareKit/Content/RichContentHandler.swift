/// What an app does with rich content that was opened from a push.
typealias RichContentTaker = @Sendable (RichContent, PushMessage) async -> Void

/// Who takes rich content of one type, and what of it is let through.
struct RichContentHandler: Sendable {
    /// Content types such as `image/png`; empty lets all through.
    var types: Set<String> = []
    /// Bytes at most.
    var bytesMax = ContentRule.bytesMax
    let take: RichContentTaker

    /// The content, or why it is not let through.
    func judge(_ content: RichContent) -> Result<RichContent, RichContentProblem> {
        guard types.isEmpty || types.contains(content.contentType) else {
            return .failure(.wrongType(content.contentType))
        }
        guard content.data.count <= bytesMax else { return .failure(.tooLarge) }
        return .success(content)
    }
}
