/// A function of the app that takes rich content opened from a push.
typealias RichContentTaker = @Sendable (RichContent, PushMessage) async -> Void

/// The handler of rich content of one type, with its limits.
struct RichContentHandler: Sendable {
    /// The accepted content types such as `image/png`; empty accepts all.
    var types: Set<String> = []
    /// The largest content in bytes.
    var bytesMax = ContentRule.bytesMax
    let take: RichContentTaker

    /// Returns the content, or the reason why it is rejected.
    func judge(_ content: RichContent) -> Result<RichContent, RichContentProblem> {
        guard types.isEmpty || types.contains(content.contentType) else {
            return .failure(.wrongType(content.contentType))
        }
        guard content.data.count <= bytesMax else { return .failure(.tooLarge) }
        return .success(content)
    }
}
