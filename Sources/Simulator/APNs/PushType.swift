/// The values of `apns-push-type`, with what each demands of topic, size and credential.
///
/// Source: Apple, "Sending notification requests to APNs".
enum PushType: String, CaseIterable {
    case alert
    case background
    case location
    case voip
    case complication
    case fileprovider
    case mdm
    case liveactivity
    case pushtotalk
    case widgets
    case controls

    /// The types that a topic tells by its suffix.
    static let suffixed = allCases.filter { $0.topicSuffix.utf8CodeUnitCount > 0 }

    /// What the topic has after the bundle identifier.
    var topicSuffix: StaticString {
        switch self {
        case .alert, .background, .mdm: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The longest payload in bytes.
    var payloadBytesMost: Int { self == .voip ? 5120 : 4096 }

    /// Whether a certificate cannot send it (Live Activities with one are answered TopicDisallowed).
    var needsProviderToken: Bool { self == .location || self == .liveactivity }

    /// Whether the payload must hold an `aps` dictionary; the others carry the app's own keys only.
    var needsAps: Bool {
        switch self {
        case .alert, .background, .liveactivity, .pushtotalk, .widgets, .controls: true
        case .location, .voip, .complication, .fileprovider, .mdm: false
        }
    }

    /// The type that a header value names, compared byte by byte so that no String is made per request.
    init?(header: ArraySlice<UInt8>) {
        guard let found = Self.allCases.first(where: { header.elementsEqual($0.rawValue.utf8) }) else { return nil }
        self = found
    }
}
