/// What an announcement or a poll shows, read from the content that its push named.
enum CampaignPage: Sendable, Hashable {
    case announcement(Announcement)
    case poll(Poll)

    /// nil of content that is not what the campaign's kind needs.
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
