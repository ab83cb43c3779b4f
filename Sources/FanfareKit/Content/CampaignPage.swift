/// The page of an announcement or a poll, read from the content that its push named.
enum CampaignPage: Sendable, Hashable {
    case announcement(Announcement)
    case poll(Poll)

    /// Reads the page; nil when the content does not fit the campaign's kind.
    init?(_ push: PushMessage, _ content: RichContent) {
        guard let json = content.json else { return nil }
        if push.kind == .announcement, let announcement = Announcement(json) {
            self = .announcement(announcement)
        } else if push.kind == .poll, let poll = Poll(json) {
            self = .poll(poll)
        } else {
            return nil
        }
    }
}
