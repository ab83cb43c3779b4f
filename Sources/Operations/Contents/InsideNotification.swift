package import Campaigns
import PushProviders

/// The part of a session's answer about a campaign that the app shows in place of the system.
package enum InsideNotification {
    /// Returns the texts of a job in one language, and the object that its push would carry.
    ///
    /// - Parameters:
    ///   - job: The job with its content in that language.
    ///   - rules: The app's declarations about its content.
    ///   - messageID: The signed id of the device; nil in a preview.
    ///   - expiresAt: The end of the campaign; nil: left out.
    package static func json(
        _ job: Job,
        rules: AppContentRules,
        messageID: String? = nil,
        expiresAt: Timestamp? = nil
    ) -> JSONValue {
        let job = rules.completed(job)
        let content = job.content
        func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
        return .object([
            "fanfare": FanfareObject.value(job, messageID: messageID),
            "title": text(content.title),
            "subtitle": text(content.subtitle),
            "body": text(content.body),
            "category": text(content.category),
            "media": text(content.mediaURL),
            "data": content.data.isEmpty ? nil : .object(content.data),
            "expires_at": expiresAt.flatMap { $0 == .distantFuture ? nil : .string($0.rfc3339) },
        ])
    }
}
