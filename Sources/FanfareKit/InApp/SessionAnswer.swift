import Foundation

/// The server's answer at the start of a session.
///
/// It has the messages that this device may be shown, in the server's order, and the campaigns to be shown inside the
/// app, the oldest first.
///
/// Unreadable elements, of a later version for example, are left out; the others stay.
struct SessionAnswer: Equatable {
    let messages: [InAppMessage]
    let notifications: [InAppNotificationQueue.Entry]
    /// The field names of the app's pushes.
    let names: PayloadNames

    /// Reads an answer; throws when it is not a JSON object with an array of messages.
    init(_ data: Data) throws {
        let answer = try JSONDecoder().decode(JSON.self, from: data)
        guard let elements = answer["messages"]?.array else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "there is no array messages"))
        }
        messages = elements.compactMap { InAppMessage($0) }
        let names = PayloadNames((answer["payload_names"]?.object ?? [:]).compactMapValues(\.string))
        self.names = names
        notifications = (answer["notifications"]?.array ?? []).compactMap { InAppNotificationQueue.Entry($0, names) }
    }
}

extension InAppNotificationQueue.Entry {
    /// Reads a campaign that a session offers, in the form of its push; nil for one that cannot be shown inside the
    /// app.
    init?(_ json: JSON, _ names: PayloadNames) {
        guard var members = json.object else { return nil }
        let alert = ["title", "subtitle", "body"].reduce(into: [String: JSON]()) { $0[$1] = members[$1] }
        var aps: [String: JSON] = ["alert": .object(alert)]
        aps["category"] = members["category"]
        if let media = members["media"], members["fanfare"]?["i"] == nil, var own = members["fanfare"]?.object {
            own["i"] = media
            members["fanfare"] = .object(own)
        }
        let attached = members["data"]?.object ?? [:]
        let end = members["expires_at"]?.string.flatMap { InstantText.date($0) }
        for name in ["title", "subtitle", "body", "category", "media", "data", "expires_at"] { members[name] = nil }
        // The producer's data is beside the object, as in a push.
        for (name, value) in attached where members[name] == nil { members[name] = value }
        members["aps"] = .object(aps)
        guard let push = PushMessage(members: members, names), push.mayBeToldInside else { return nil }
        self.init(push: push, expiresAt: end)
    }
}

extension InAppMessage {
    /// Reads a message that the server offers; nil when a required value is missing or unknown.
    init?(_ json: JSON) {
        guard let campaign = json["campaign"]?.string,
            let layout = json["type"]?.string.flatMap({ Layout(rawValue: $0) }),
            let triggers = json["triggers"]?.array
        else { return nil }
        self.init(id: campaign, messageID: json["m"]?.string ?? "")
        self.layout = layout
        header = json["header"]?.string
        message = json["message"]?.string
        image = json["image_url"]?.webAddress
        isImageOnly = json["image_only"]?.bool ?? false
        position = json["position"]?.string.flatMap { Position(rawValue: $0) } ?? .bottom
        // With an unknown orientation the message could appear on the wrong screen.
        if let text = json["orientation"]?.string {
            guard let value = Orientation(rawValue: text) else { return nil }
            orientation = value
        }
        duration = json["duration"]?.number
        buttons = (json["buttons"]?.array ?? []).compactMap { Button($0) }
        assets = (json["assets"]?.array ?? []).compactMap(\.webAddress)
        extras = json["extras"]?.object ?? [:]
        self.triggers = triggers.compactMap { Trigger($0) }
        guard !self.triggers.isEmpty else { return nil }
        priority = json["priority"]?.number.flatMap { Int(exactly: $0.rounded()) } ?? 0
        startsAt = json["starts_at"]?.string.flatMap { InstantText.date($0) }
        endsAt = json["ends_at"]?.string.flatMap { InstantText.date($0) }
        delay = json["delay"]?.number ?? 0
        timeout = json["timeout"]?.number
        repeatAfter = json["repeat_after"]?.number
    }
}

extension JSON {
    /// An address to fetch from; a message of the server never names a file of the phone.
    fileprivate var webAddress: URL? {
        guard let url = string.flatMap({ URL(string: $0) }), let scheme = url.scheme?.lowercased(), url.host != nil,
            scheme == "https" || scheme == "http"
        else { return nil }
        return url
    }
}

extension InAppMessage.Button {
    init?(_ json: JSON) {
        guard let id = json["id"]?.string, let label = json["label"]?.string else { return nil }
        self.init(id: id, label: label, link: json["url"]?.string)
    }
}

extension Trigger {
    /// Reads a trigger; nil for an unknown kind or condition, without which it would match too much.
    init?(_ json: JSON) {
        guard let kind = json["on"]?.string.flatMap({ Kind(rawValue: $0) }) else { return nil }
        var filters: [PropertyFilter] = []
        for element in json["where"]?.array ?? [] {
            guard let property = element["property"]?.string,
                let comparison = element["op"]?.string.flatMap({ PropertyFilter.Comparison(rawValue: $0) })
            else { return nil }
            filters.append(PropertyFilter(property, comparison, element["value"] ?? .bool(true)))
        }
        self.init(kind, name: json["name"]?.string, filters: filters)
    }
}
