import Campaigns

/// The header `Topic` (RFC 8030 section 5.4): among the messages that wait for a browser, the latest replaces others
/// with its topic.
enum WebPushTopic {
    /// The longest topic in characters.
    static let bytesMax = 32

    /// Returns the topic of a collapse id: the id itself if it is valid, otherwise 11 characters derived from it.
    static func text(collapseID: String) -> String {
        let isTopic =
            (1...bytesMax).contains(collapseID.utf8.count)
            && collapseID.utf8.allSatisfy { Base64URL.digit($0) != nil }
        return isTopic ? collapseID : DefaultCollapseID.make(app: "", id: collapseID)
    }
}
