import Campaigns

/// What is said of a media address that no app will find.
enum MediaAddress {
    /// For an app without message ids: its pushes have no `fanfare` object, which would carry the address.
    static func warnings(_ job: Job) -> [Problem] {
        let content = job.content
        guard let url = content.mediaURL, !content.data.contains(where: { $0.value == .string(url) }) else { return [] }
        return [
            Problem(
                pointer: "/content/media_url",
                code: .unusual,
                detail: "the address travels in the fanfare object, which the pushes of \(job.app) do not carry; "
                    + "mutable-content is set",
                mend: "give the app edge.message_key_file, or put the address into data too"
            )
        ]
    }
}
