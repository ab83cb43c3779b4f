import Campaigns

/// The object `fanfare` that a push carries for the app (contract, section 5), around each device's message id.
///
/// Members of parts of the product that are not built yet (`k`, `u`, `r`, `t`, `a`) are not in it: jobs with those
/// fields are refused.
struct FanfareObject {
    /// Its bytes from the opening brace to the message id.
    let beforeMessageID: [UInt8]
    /// Its bytes from the message id's closing quotation mark to the closing brace.
    let afterMessageID: [UInt8]

    init(_ job: Job) {
        let head: [JSONMember] = [
            JSONMember("v", .number(JSONNumber(1))), JSONMember("c", .string(job.id)),
        ]
        let tail = [job.content.mediaURL.map { JSONMember("i", .string($0)) }].compactMap(\.self)
        beforeMessageID = JSONWriter.bytes(.object(head)).dropLast() + MessageIDPlace.opening
        let rest = JSONWriter.bytes(.object(tail)).dropFirst()
        afterMessageID = [UInt8(ascii: "\"")] + (tail.isEmpty ? [] : [UInt8(ascii: ",")]) + rest
    }
}
