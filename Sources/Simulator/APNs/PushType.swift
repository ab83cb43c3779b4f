/// The values of `apns-push-type`, with the demands of each on topic, size and credential.
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

    /// The types that the topic's suffix identifies.
    static let suffixed = allCases.filter { $0.topicSuffix.utf8CodeUnitCount > 0 }

    /// The suffix of the topic after the bundle identifier.
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

    /// True if a certificate cannot send it (a Live Activity with one is answered TopicDisallowed).
    var needsProviderToken: Bool { self == .location || self == .liveactivity }

    /// True if the payload must hold an `aps` dictionary; other types carry only the app's own keys.
    var needsAps: Bool {
        switch self {
        case .alert, .background, .liveactivity, .pushtotalk, .widgets, .controls: true
        case .location, .voip, .complication, .fileprovider, .mdm: false
        }
    }

    /// Returns the type that a header value names, comparing bytes so that no String is made per request.
    init?(header: ArraySlice<UInt8>) {
        guard let found = Self.allCases.first(where: { header.elementsEqual($0.rawValue.utf8) }) else { return nil }
        self = found
    }
}
