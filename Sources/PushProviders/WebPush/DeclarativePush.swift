import Campaigns

/// Declarative Web Push (W3C Push API, *Declarative push message*; webkit.org/blog/16535).
///
/// A browser that knows it shows such a message even if the site's service worker does not, and does not hold that
/// against the site. The worker gets the notification first (`mutable`), with the rest of the payload as its `data`.
struct DeclarativePush {
    /// The push services whose browsers know it, and which end the subscription of a site whose pushes show nothing.
    private static let origins: Set<String> = ["https://web.push.apple.com"]

    /// Returns true if the browsers of a push service know it.
    static func isKnown(at service: PushEnvironment?) -> Bool {
        service.map { origins.contains($0.rawValue) } ?? false
    }

    private static let opening = Array(#"{"notification":{"#.utf8)
    private static let title = Array(#""title":"#.utf8)
    private static let data = Array(#","data":{"#.utf8)

    /// Returns facts with the payload in this form, for the same devices.
    ///
    /// Nil when it has no title, when neither its link nor `site` is an address that a browser can open, or when it
    /// would be too large: then the payload is only for the service worker.
    static func facts(_ facts: Shard.Facts, site: String?) -> Shard.Facts? {
        let payload = facts.payload
        let placeholders = facts.personal.placeholders.map { Int($0.at) }
        guard payload.starts(with: opening + title), let parts = Parts(payload, notificationAt: opening.count - 1),
            // Without other members, a count would follow nothing.
            !parts.rest.isEmpty || !placeholders.contains(parts.rest.upperBound),
            let link = Self.link(parts, payload, placeholders) ?? site.map({ JSONWriter.bytes(.string($0)) })
        else { return nil }
        var start = Array(#"{"web_push":8030,"mutable":true,"#.utf8)
        if let badge = parts.badge { start += Array(#""app_badge":"#.utf8) + payload[badge] + Array(",".utf8) }
        start += Array(#""notification":{"navigate":"#.utf8) + link + Array(",".utf8)
        let members = opening.count..<parts.notification.upperBound - 1
        var form = start + payload[members]
        // The moves of offsets in the notification and behind it.
        let ofNotification = start.count - opening.count
        let ofRest = form.count + data.count - parts.rest.lowerBound
        if !parts.rest.isEmpty { form += data + payload[parts.rest] + Array("}".utf8) }
        form += Array("}}".utf8)
        guard form.count <= WebPushRules.payloadBytesMax else { return nil }
        func moved(_ offset: UInt32) -> UInt32 {
            UInt32(Int(offset) + (Int(offset) <= members.upperBound ? ofNotification : ofRest))
        }
        var facts = facts
        facts.payload = form
        facts.messageIDAt = facts.messageIDAt.map(moved)
        facts.personal.placeholders = facts.personal.placeholders.map { placeholder in
            TemplatePlaceholder(at: moved(placeholder.at), form: placeholder.form, source: placeholder.source)
        }
        return facts
    }

    /// Returns the payload's link as JSON; nil for none, for one that differs between devices, and for one of apps.
    private static func link(_ parts: Parts, _ payload: [UInt8], _ placeholders: [Int]) -> [UInt8]? {
        guard let range = parts.url, !placeholders.contains(where: { range.contains($0) }) else { return nil }
        let link = Array(payload[range])
        let schemes = ["\"https://", "\"http://"]
        return schemes.contains { link.starts(with: $0.utf8) } ? link : nil
    }
}

/// The parts of a payload that `WebPushPayload` has written.
private struct Parts {
    /// The object of the notification, with its braces.
    let notification: Range<Int>
    /// The members behind it, without the comma before them.
    let rest: Range<Int>
    /// The value of `url`; nil for none.
    private(set) var url: Range<Int>?
    /// The value of `badge`; nil for none.
    private(set) var badge: Range<Int>?

    /// Finds the parts; nil for JSON in another form.
    init?(_ payload: [UInt8], notificationAt start: Int) {
        notification = start..<Self.end(of: start, in: payload)
        rest = min(notification.upperBound + 1, payload.count - 1)..<payload.count - 1
        var position = notification.upperBound
        while position < payload.count, payload[position] == UInt8(ascii: ",") {
            let name = position + 1..<Self.end(of: position + 1, in: payload)
            let value = name.upperBound + 1..<Self.end(of: name.upperBound + 1, in: payload)
            if payload[name].elementsEqual("\"url\"".utf8) { url = value }
            if payload[name].elementsEqual("\"badge\"".utf8) { badge = value }
            position = value.upperBound
        }
        guard position == payload.count - 1 else { return nil }
    }

    /// Returns the end of the value that begins at an index; at most the end of the text.
    private static func end(of start: Int, in json: [UInt8]) -> Int {
        var (index, depth, isInString) = (start, 0, false)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: "\""):
                isInString.toggle()
                if !isInString, depth == 0 { return index + 1 }
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A number or a word ends before what encloses it.
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ",") where depth == 0: return index
            default: break
            }
            index += 1
        }
        return json.count
    }
}
