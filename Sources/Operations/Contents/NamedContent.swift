package import Campaigns
package import Store
import TLS

/// Content that a push names and the app fetches.
package enum NamedContent {
    /// Returns the content that a campaign brings along: its page or its questions as JSON, under the campaign's id.
    package static func brought(by job: Job) -> NewContent? {
        guard job.kind.hasStoredContent, let block = job.content.announcement?.encoded ?? job.content.poll?.encoded
        else { return nil }
        let bytes = JSONWriter.bytes(block)
        return NewContent(
            type: job.kind.rawValue,
            contentType: .json,
            version: version(of: bytes),
            bytes: bytes
        )
    }

    /// Returns the version of bytes, for caches: the first half of their SHA-256.
    static func version(of bytes: [UInt8]) -> String {
        Hexadecimal.text(SHA256.digest(bytes).prefix(16))
    }

    /// Returns the problems of a job for an app without the `fanfare` object, which would tell the app what to do.
    static func problems(_ job: Job) -> [Problem] {
        let location: String
        switch job.kind {
        case .notification where job.delivery.show == .inApp: location = "/delivery/show"
        case .announcement, .poll, .dataPush: location = "/kind"
        case .notification where job.content.rich != nil: location = "/content/rich"
        case .notification, .native, .inApp: return []
        }
        return [
            Problem(
                pointer: location,
                code: .conflict,
                detail:
                    "what the app is to do travels in the fanfare object, which the pushes of \(job.app) do not carry",
                fix: "give the app edge.message_key_file in apps.yaml"
            )
        ]
    }
}
