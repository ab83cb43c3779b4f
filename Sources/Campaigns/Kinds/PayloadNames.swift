/// The names under which an app reads the contents of the `fanfare` object (`payload_names` of `apps.yaml`).
///
/// A renamed member is beside `aps` on APNs, a string in `data` on FCM and a top-level member on Web Push; it is no
/// longer in the `fanfare` object. Texts are copied and stay in their usual place; numbers occur only under such a
/// name.
public struct PayloadNames: Sendable, Equatable {
    /// A member that can be renamed.
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
        /// The type of content to fetch, `t`.
        case richType = "rich_type"
        /// The media address, `i`.
        case media
        /// A copy of the displayed text.
        case message
        /// The text for content to fetch, `x`; without one, a copy of the displayed text.
        case richMessage = "rich_message"
        /// The number of the message: ``LegacyNumbers/message``.
        case messageNumber = "message_number"
        /// The number of the campaign: ``LegacyNumbers/delivery``.
        case deliveryNumber = "delivery_number"
    }

    /// The names; none by default.
    public var names: [Member: String]

    /// Creates a set of names.
    public init(_ names: [Member: String] = [:]) {
        self.names = names
    }

    /// True if every member has the contract's name.
    public var isEmpty: Bool { names.isEmpty }

    /// The app's name of a member; nil if it is in the `fanfare` object.
    public subscript(member: Member) -> String? { names[member] }

    /// Returns true if a text can be a name: 1–64 of `[A-Za-z0-9._-]`, except names of providers or of the payload.
    public static func isName(_ text: String) -> Bool {
        let taken = ["aps", "fanfare", "from", "message_type", "notification", "data", "badge", "v"]
        return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(NameRule.isWordByte)
            && !taken.contains(text) && !text.hasPrefix("google.") && !text.hasPrefix("gcm.")
    }
}
