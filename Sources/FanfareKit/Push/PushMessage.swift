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
    /// The campaign's kind.
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
    /// The category that picks who draws it, when that is another one than the buttons'.
    public let layout: String?
    /// The first line that the system shows.
    public let title: String?
    /// The second line that the system shows.
    public let subtitle: String?
    /// The text that the system shows.
    public let body: String?
    /// What a data push brings.
    public let dataPush: DataPush?
    /// Tells whether it only wakes the app.
    public let isSilent: Bool
    /// What the producer attached: the job's `data`.
    public let variables: [String: JSON]
    /// Whether the system shows it in front too.
    let isForSystem: Bool
    /// A copy of the text under a name of the app's own.
    let message: String?
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

    /// Tells whether a user info is of a push that Fanfare sent.
    ///
    ///     if PushMessage.isOurs(userInfo) { … }
    ///
    /// `names`: those of the app's own, when its settings on the server have `payload_names`; `Fanfare.isOurs(_:)` knows
    /// them by itself.
    public static func isOurs(_ userInfo: [AnyHashable: Any], names: [String: String] = [:]) -> Bool {
        PushMessage(userInfo, names: names) != nil
    }

    /// Reads a push's user info (APNs) or data (FCM); nil when it is somebody else's.
    ///
    ///     let push = PushMessage(response.notification.request.content.userInfo)
    ///
    /// `names`: as for `isOurs(_:names:)`; `Fanfare.push(_:)` knows them by itself.
    public init?(_ userInfo: [AnyHashable: Any], names: [String: String] = [:]) {
        self.init(members: JSON.members(userInfo), PayloadNames(names))
    }

    init?(members: [String: JSON], _ names: PayloadNames = PayloadNames()) {
        let object = Self.own(members["fanfare"])
        let own = object ?? [:]
        func text(_ key: String, _ member: PayloadNames.Member) -> String? {
            own[key]?.string ?? names[member].flatMap { members[$0]?.string }
        }
        let messageID = text("m", .messageID)
        guard let campaign = text("c", .campaign), !campaign.isEmpty,
            // Another's push may have one of the names too, but no signed id beside it.
            object != nil || messageID?.utf8.count == Self.messageIDLength
        else { return nil }
        let aps = members["aps"]?.object ?? [:]
        let alert = aps["alert"]
        self.campaign = campaign
        self.messageID = messageID
        // A kind of a later version is shown as what the system made of it.
        kind = text("k", .kind).flatMap { Kind(rawValue: $0) } ?? .notification
        link = text("u", .url)
        content = text("r", .richID).map { RichContentName(id: $0, type: text("t", .richType) ?? "") }
        media = text("i", .media).flatMap { Self.https($0) }
        actionLinks = (own["a"]?.object ?? [:]).compactMapValues(\.string)
        category = aps["category"]?.string
        layout = own["l"]?.string
        title = alert?["title"]?.string
        subtitle = alert?["subtitle"]?.string
        body = alert?.string ?? alert?["body"]?.string
        dataPush = kind == .dataPush ? DataPush(own) : nil
        isSilent = Self.isSilent(aps, isApple: members["aps"] != nil)
        isForSystem = own["s"]?.string == "system"
        userInfo = members
        let taken = Set(names.names.values).union(["aps", "fanfare"])
        variables = members.filter { !taken.contains($0.key) }
        // What is said of the content; or copies of the text that is shown, under the app's own names.
        message =
            own["x"]?.nonEmpty
            ?? [PayloadNames.Member.richMessage, .message].lazy.compactMap { names[$0] }
            .compactMap { members[$0]?.nonEmpty }.first
    }

    /// Characters of a signed id.
    static let messageIDLength = 22

    /// What picks who draws it; nil: whoever draws all others.
    var look: String? { layout ?? category }

    /// Whether an app in front may show it itself.
    var mayBeToldInside: Bool {
        !isSilent && !isForSystem && [.notification, .announcement, .poll].contains(kind)
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
        // An empty sound is none.
        return wakes && aps["alert"] == nil && aps["sound"]?.nonEmpty == nil && aps["sound"]?.object == nil
            && aps["badge"] == nil
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
