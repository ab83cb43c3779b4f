/// The facts about a payload that the rules need, found in one strict pass over its bytes.
struct PayloadFacts: Equatable {
    /// True if `aps` exists and is a dictionary.
    var hasAps = false
    var hasAlert = false
    var hasSound = false
    var hasBadge = false
    /// True if `content-available` is the number 1.
    var isContentAvailable = false
    /// True if `content-changed` is true.
    var isContentChanged = false
    /// True if `event` is `start`, `update` or `end`.
    var hasEvent = false
    var hasTimestamp = false

    /// Reads `payload`; throws unless it is a JSON object.
    init(_ payload: ArraySlice<UInt8>) throws(JSONError) {
        var found = PayloadFacts()
        var scanner = JSONScanner(payload)
        try scanner.members { (inner, key) throws(JSONError) in
            guard key.says("aps"), inner.peek() == UInt8(ascii: "{") else {
                try inner.skipValue(depth: 1)
                return
            }
            found.hasAps = true
            try inner.members(depth: 1) { (aps, key) throws(JSONError) in try found.note(key, from: &aps) }
        }
        try scanner.expectEnd()
        self = found
    }

    private init() {}

    private mutating func note(_ key: JSONString, from scanner: inout JSONScanner) throws(JSONError) {
        let first = scanner.peek()
        switch true {
        case key.says("alert"): hasAlert = true
        case key.says("sound") where first == UInt8(ascii: "\""):
            // An empty name is no sound.
            hasSound = try !scanner.string().says("")
            return
        case key.says("sound"): hasSound = true
        case key.says("badge"): hasBadge = true
        case key.says("timestamp"): hasTimestamp = true
        case key.says("content-changed"): isContentChanged = first == UInt8(ascii: "t")
        case key.says("content-available") where first == UInt8(ascii: "1"):
            isContentAvailable = try scanner.number().count == 1
            return
        case key.says("event") where first == UInt8(ascii: "\""):
            let event = try scanner.string()
            hasEvent = event.says("start") || event.says("update") || event.says("end")
            return
        default: break
        }
        try scanner.skipValue(depth: 2)
    }

    /// Returns true if the payload fits the push type.
    ///
    /// Apple's rules: a background update carries `content-available: 1` and nothing visible or audible. An alert with
    /// only `content-available` is a background update of the wrong type. A Live Activity has an event and a time.
    /// Widgets and controls report changed content.
    func matches(_ type: PushType) -> Bool {
        let isNoticed = hasAlert || hasSound || hasBadge
        switch type {
        case .background: return isContentAvailable && !isNoticed
        case .alert: return isNoticed || !isContentAvailable
        case .liveactivity: return hasEvent && hasTimestamp
        case .widgets, .controls: return isContentChanged
        case .location, .voip, .complication, .fileprovider, .mdm, .pushtotalk: return true
        }
    }
}
