/// The names under which an app in the field reads what the `fanfare` object carries (`payload_names` of `apps.yaml`).
///
/// What has a name here is a peer of `aps` on APNs, a string in `data` on FCM and a member of the whole on Web Push; it
/// is in the `fanfare` object no more. Texts are copied, and stay where they are; numbers are only there.
public struct PayloadNames: Sendable, Equatable {
    /// One thing that may be named.
    public enum Member: String, Sendable, CaseIterable {
        /// The signed message id, `m`.
        case messageID = "message_id"
        /// The campaign's id, `c`.
        case deliveryID = "delivery_id"
        /// The kind, `k`.
        case kind
        /// The tap link, `u`.
        case url
        /// The id of content to fetch, `r`.
        case richID = "rich_id"
        /// Its type, `t`.
        case richType = "rich_type"
        /// The media address, `i`.
        case media
        /// A copy of the text that is shown.
        case message
        /// Text that the app shows of content to fetch, `x`; without it a copy of the one that the system shows.
        case richMessage = "rich_message"
        /// A whole number that stands for the message: ``LegacyNumbers/message``.
        case messageNumber = "message_number"
        /// A whole number that stands for the campaign: ``LegacyNumbers/delivery``.
        case deliveryNumber = "delivery_number"
    }

    /// The names; none by default.
    public var names: [Member: String]

    /// Names by what they stand for.
    public init(_ names: [Member: String] = [:]) {
        self.names = names
    }

    /// Whether everything is where the contract has it.
    public var isEmpty: Bool { names.isEmpty }

    /// The name of something; nil where the `fanfare` object has it.
    public subscript(member: Member) -> String? { names[member] }

    /// Whether a text can be such a name: 1–64 of `[A-Za-z0-9._-]`, and none that providers or the payload have.
    public static func isName(_ text: String) -> Bool {
        let taken = ["aps", "fanfare", "from", "message_type", "notification", "data", "badge", "v"]
        return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(JobIdentity.isWordByte)
            && !taken.contains(text) && !text.hasPrefix("google.") && !text.hasPrefix("gcm.")
    }
}
