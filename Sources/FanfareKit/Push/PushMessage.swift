public import Foundation

/// A push that Fanfare sent, as the phone gets it.
///
/// Made from the user info of APNs or the data of FCM. A push of somebody else is none of ours and gives nil, so that one
/// line tells them apart:
///
///     guard let push = PushMessage(userInfo) else { return otherSDK.handle(userInfo) }
///
/// Never traps, whatever comes; what cannot be read is left out, and what this version does not know is ignored.
public struct PushMessage: Sendable, Hashable {
    /// The campaign's id.
    public let campaign: String
    /// The signed id that events carry back; nil when the sender had no key to make one with.
    public let messageID: String?
    /// What the campaign is.
    public let kind: Kind
    /// What a tap opens.
    public let link: String?
    /// Rich content to fetch; nil for none.
    public let content: RichContentName?
    /// An image, sound or film to show with the notification.
    public let media: URL?
    /// What buttons open, by their ids.
    public let actionLinks: [String: String]
    /// The category whose buttons the notification shows.
    public let category: String?
    /// The first line that the system shows.
    public let title: String?
    /// The text that the system shows.
    public let body: String?
    /// What a data push brings.
    public let dataPush: DataPush?
    /// Whether it only wakes the app.
    public let isSilent: Bool
    /// What the producer attached: the job's `data`.
    public let variables: [String: JSON]
    /// All of it as it came, for a notification that the app shows in its place.
    public let userInfo: [String: JSON]

    /// What a campaign is on the phone.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification
        case announcement
        case poll
        case dataPush = "data_push"
        case native
        case inApp = "in_app"
    }

    /// Whether a user info is of a push that Fanfare sent.
    ///
    ///     if PushMessage.isOurs(userInfo) { … }
    public static func isOurs(_ userInfo: [AnyHashable: Any]) -> Bool { PushMessage(userInfo) != nil }

    /// Reads a push's user info (APNs) or data (FCM); nil when it is somebody else's.
    ///
    ///     let push = PushMessage(response.notification.request.content.userInfo)
    public init?(_ userInfo: [AnyHashable: Any]) {
        self.init(members: JSON.members(userInfo))
    }

    init?(members: [String: JSON]) {
        guard let own = Self.own(members["fanfare"]), let campaign = own["c"]?.string, !campaign.isEmpty else {
            return nil
        }
        let aps = members["aps"]?.object ?? [:]
        let alert = aps["alert"]
        self.campaign = campaign
        messageID = own["m"]?.string
        // A kind of a later version is shown as what the system made of it.
        kind = own["k"]?.string.flatMap { Kind(rawValue: $0) } ?? .notification
        link = own["u"]?.string
        content = own["r"]?.string.map { RichContentName(id: $0, type: own["t"]?.string ?? "") }
        media = own["i"]?.string.flatMap { Self.https($0) }
        actionLinks = (own["a"]?.object ?? [:]).compactMapValues(\.string)
        category = aps["category"]?.string
        title = alert?["title"]?.string
        body = alert?.string ?? alert?["body"]?.string
        dataPush = kind == .dataPush ? DataPush(own) : nil
        isSilent = Self.isSilent(aps, isApple: members["aps"] != nil)
        userInfo = members
        variables = members.filter { $0.key != "aps" && $0.key != "fanfare" }
    }

    /// The object of ours: on FCM it is a text that is JSON itself.
    private static func own(_ value: JSON?) -> [String: JSON]? {
        guard case .string(let text)? = value else { return value?.object }
        return (try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)))?.object
    }

    private static func https(_ text: String) -> URL? {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            return nil
        }
        return url
    }

    /// Apple: `content-available` and nothing that a person would notice.
    private static func isSilent(_ aps: [String: JSON], isApple: Bool) -> Bool {
        guard isApple else { return false }
        let wakes = aps["content-available"]?.number == 1 || aps["content-available"]?.bool == true
        return wakes && aps["alert"] == nil && aps["sound"] == nil && aps["badge"] == nil
    }
}

/// What names rich content: its id, and its type, which picks the handler.
public struct RichContentName: Sendable, Hashable {
    /// The id by which the server has it.
    public let id: String
    /// The producer's word for what it is, such as `coupon`; empty when none was given.
    public let type: String
}

/// What a data push brings.
///
///     fanfare.onDataPush("prices") { push in try prices.update(push.bytes); return true }
public struct DataPush: Sendable, Hashable {
    /// The text as it was sent.
    public let text: String
    /// The bytes: of the text in UTF-8, or decoded from Base64.
    public let bytes: Data
    /// Which handler it is for; nil for the default one.
    public let category: String?

    init?(_ own: [String: JSON]) {
        guard let text = own["d"]?.string else { return nil }
        self.text = text
        category = own["g"]?.string
        guard own["e"]?.string == "base64" else {
            bytes = Data(text.utf8)
            return
        }
        guard let bytes = Data(base64Encoded: text) else { return nil }
        self.bytes = bytes
    }
}
