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
    /// The `event` of a Live Activity; nil for none and for one that Apple does not have.
    var event: Event?
    /// True if `timestamp` is a number.
    var hasTimestamp = false
    /// True if `content-state` is a dictionary.
    var hasContentState = false
    /// True if `attributes-type` is a text.
    var hasAttributesType = false
    /// True if `attributes` is a dictionary.
    var hasAttributes = false

    /// An event of a Live Activity.
    enum Event: String, CaseIterable {
        case start, update, end
    }

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
        case key.says("timestamp"): hasTimestamp = first.map { (0x30...0x39).contains($0) } ?? false
        case key.says("content-changed"): isContentChanged = first == UInt8(ascii: "t")
        case key.says("content-available") where first == UInt8(ascii: "1"):
            isContentAvailable = try scanner.number().count == 1
            return
        case key.says("event") where first == UInt8(ascii: "\""):
            let word = try scanner.string()
            event = word.says("start") ? .start : word.says("update") ? .update : word.says("end") ? .end : nil
            return
        case key.says("content-state"): hasContentState = first == UInt8(ascii: "{")
        case key.says("attributes-type"): hasAttributesType = first == UInt8(ascii: "\"")
        case key.says("attributes"): hasAttributes = first == UInt8(ascii: "{")
        default: break
        }
        try scanner.skipValue(depth: 2)
    }

    /// Returns true if the payload fits the push type.
    ///
    /// Apple's rules: a background update carries `content-available: 1` and nothing visible or audible. An alert with
    /// only `content-available` is a background update of the wrong type. A Live Activity has an event and a time; an
    /// update has a state, and a start its attributes and an alert besides. Widgets and controls report a change.
    func matches(_ type: PushType) -> Bool {
        let isNoticed = hasAlert || hasSound || hasBadge
        switch type {
        case .background: return isContentAvailable && !isNoticed
        case .alert: return isNoticed || !isContentAvailable
        case .liveactivity: return hasTimestamp && isActivity
        case .widgets, .controls: return isContentChanged
        case .location, .voip, .complication, .fileprovider, .mdm, .pushtotalk: return true
        }
    }

    /// True if the event of a Live Activity has all that it needs.
    private var isActivity: Bool {
        switch event {
        case .start: hasContentState && hasAttributesType && hasAttributes && hasAlert
        case .update: hasContentState
        case .end: true
        case nil: false
        }
    }
}
