import Campaigns

/// The header `Topic` (RFC 8030 section 5.4): of the messages that wait for a browser, the last with a topic replaces the
/// others.
enum WebPushTopic {
    /// Characters at most.
    static let bytesMax = 32

    /// The topic of a collapse id: the id itself where it is one, otherwise 11 characters that are always the same for it.
    static func text(collapseID: String) -> String {
        let isTopic =
            (1...bytesMax).contains(collapseID.utf8.count)
            && collapseID.utf8.allSatisfy { Base64URL.digit($0) != nil }
        return isTopic ? collapseID : DefaultCollapseID.make(app: "", id: collapseID)
    }
}
