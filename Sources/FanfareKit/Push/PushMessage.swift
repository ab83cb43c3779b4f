public import Foundation

/// A push that Fanfare sent, as the phone gets it.
///
/// Created from the user info of APNs or the data of FCM. A push that Fanfare did not send gives nil, so one line tells
/// them apart:
///
///     guard let push = PushMessage(userInfo) else { return otherSDK.handle(userInfo) }
///
/// Never traps, whatever the input. Unreadable fields are left out, and unknown fields are ignored.
public struct PushMessage: Sendable, Hashable {
    /// The campaign's id.
    public let campaign: String
    /// The signed id that events carry back; nil when the sender had no key to create it with.
    public let messageID: String?
    /// The campaign's kind.
    public let kind: Kind
    /// The link that a tap opens; nil for none.
    public let link: String?
    /// The rich content to fetch; nil for none.
    public let content: RichContentName?
    /// An image, sound or film to show with the notification.
    public let media: URL?
    /// The links that buttons open, by the buttons' ids.
    public let actionLinks: [String: String]
    /// The category whose buttons the notification shows.
    public let category: String?
    /// The category that picks the presenter or notifier, when it differs from the category of the buttons.
    public let layout: String?
    /// The first line that the system shows.
    public let title: String?
    /// The second line that the system shows.
    public let subtitle: String?
    /// The text that the system shows.
    public let body: String?
    /// The data of a data push; nil for other kinds.
    public let dataPush: DataPush?
    /// True if it only wakes the app.
    public let isSilent: Bool
    /// The variables that the producer attached: the job's `data`.
    public let variables: [String: JSON]
    /// True if the system shows it even while the app is in front.
    let isForSystem: Bool
    /// The text under a name of the app's own.
    let message: String?
    /// The complete user info, for a notification that the app posts in place of the push.
    public let userInfo: [String: JSON]

    /// The kind of a campaign on the phone.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification
        case announcement
        case poll
        case dataPush = "data_push"
        case native
        case inApp = "in_app"
    }

    /// Returns true if Fanfare sent the push of a user info.
    ///
    ///     if PushMessage.isOurs(userInfo) { … }
    ///
    /// `names` are the app's own field names, when its settings on the server have `payload_names`;
    /// `Fanfare.isOurs(_:)` knows them by itself.
    public static func isOurs(_ userInfo: [AnyHashable: Any], names: [String: String] = [:]) -> Bool {
        PushMessage(userInfo, names: names) != nil
    }

    /// Reads a push from the user info of APNs or the data of FCM; nil when Fanfare did not send it.
    ///
    ///     let push = PushMessage(response.notification.request.content.userInfo)
    ///
    /// `names` are as for `isOurs(_:names:)`; `Fanfare.push(_:)` knows them by itself.
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
            // A foreign push may also have such a name, but no signed id beside it.
            object != nil || messageID?.utf8.count == Self.messageIDLength
        else { return nil }
        let aps = members["aps"]?.object ?? [:]
        let alert = aps["alert"]
        self.campaign = campaign
        self.messageID = messageID
        // A kind of a later version is treated as the notification that the system showed.
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
        // The text of the content, or a copy of the shown text under one of the app's own names.
        message =
            own["x"]?.nonEmpty
            ?? [PayloadNames.Member.richMessage, .message].lazy.compactMap { names[$0] }
            .compactMap { members[$0]?.nonEmpty }.first
    }

    /// The length of a signed id in characters.
    static let messageIDLength = 22

    /// The category that picks the presenter or notifier; nil for the default one.
    var look: String? { layout ?? category }

    /// True if an app in front may show it itself.
    var mayBeToldInside: Bool {
        !isSilent && !isForSystem && [.notification, .announcement, .poll].contains(kind)
    }

    /// Returns the `fanfare` object, which on FCM is a string of JSON.
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

    /// Returns true for Apple's silent push: `content-available` and nothing that a person would notice.
    private static func isSilent(_ aps: [String: JSON], isApple: Bool) -> Bool {
        guard isApple else { return false }
        let wakes = aps["content-available"]?.number == 1 || aps["content-available"]?.bool == true
        // An empty sound counts as none.
        return wakes && aps["alert"] == nil && aps["sound"]?.nonEmpty == nil && aps["sound"]?.object == nil
            && aps["badge"] == nil
    }
}

/// The name of rich content: its id, and its type, which picks the handler.
public struct RichContentName: Sendable, Hashable {
    /// The content's id on the server.
    public let id: String
    /// The producer's name for its type, such as `coupon`; empty when none was given.
    public let type: String
}

/// The data of a data push.
///
///     fanfare.onDataPush("prices") { push in try prices.update(push.bytes); return true }
public struct DataPush: Sendable, Hashable {
    /// The text as it was sent.
    public let text: String
    /// The bytes: the text in UTF-8, or the decoded Base64.
    public let bytes: Data
    /// The category that picks the handler; nil for the default one.
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
