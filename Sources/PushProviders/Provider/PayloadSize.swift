import Campaigns

/// Checks that the part of the payload that all devices share is within the provider's limit, by one rule for all.
///
/// The size of rendered templates is only known per device.
enum PayloadSize {
    /// Returns a problem for the standard content and for each localization that is too large.
    ///
    /// `what` and `taker` complete the sentence "the payload has 4,097 bytes; APNs takes 4,096".
    static func problems(
        _ job: Job,
        _ provider: any PushProvider,
        carriesMessageID: Bool,
        what: String,
        taker: String
    ) -> [Problem] {
        let localized = job.content.localizations.enumerated().map { index, localization in
            (job.localized(index), JSONPointer(text: "/content/localizations").appending(localization.locale).text)
        }
        return ([(job, "/content")] + localized).compactMap { job, pointer in
            let push = provider.compile(job, carriesMessageID: carriesMessageID)
            // A counted badge may become as long as the longest count.
            let count = push.segments.reduce(0) { $0 + $1.bytes.count + $1.countedBytesMax }
            let excess = count - push.payloadBytesMax
            guard excess > 0 else { return nil }
            return Problem(
                pointer: pointer,
                code: .payloadTooLarge,
                detail: "\(what) has \(grouped(count)) bytes; \(taker) takes \(grouped(push.payloadBytesMax))",
                fix: "make it \(excess == 1 ? "1 byte" : "\(grouped(excess)) bytes") shorter; "
                    + "what is large belongs behind a link"
            )
        }
    }

    /// A number with commas between thousands.
    private static func grouped(_ number: Int) -> String {
        number < 1000 ? String(number) : "\(grouped(number / 1000)),\(String(number % 1000 + 1000).dropFirst())"
    }
}
