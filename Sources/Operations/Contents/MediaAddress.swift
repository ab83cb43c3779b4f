import Campaigns

/// Warnings about addresses that do not reach the app.
enum MediaAddress {
    /// Returns the warnings for an app without message ids: its pushes have no `fanfare` object to carry an address.
    static func warnings(_ job: Job) -> [Problem] {
        let content = job.content
        let links = [content.url.map { ("url", $0) }, content.actions.first.map { ("actions", $0.url) }]
        let missing = links.compactMap(\.self).map { name, _ in
            Problem(
                pointer: "/content/\(name)",
                code: .unusual,
                detail: "links travel in the fanfare object, which the pushes of \(job.app) do not carry",
                fix: "give the app edge.message_key_file, or put the address into data"
            )
        }
        guard let url = content.mediaURL, !content.data.contains(where: { $0.value == .string(url) }) else {
            return missing
        }
        return missing + [
            Problem(
                pointer: "/content/media_url",
                code: .unusual,
                detail: "the address travels in the fanfare object, which the pushes of \(job.app) do not carry; "
                    + "mutable-content is set",
                fix: "give the app edge.message_key_file, or put the address into data too"
            )
        ]
    }
}
