import Campaigns

/// The requirements of Apple's push types (`push-protocols.md`, C1.3).
extension PushType {
    /// The suffix of the bundle id in `apns-topic`.
    var topicSuffix: String {
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

    /// Returns the push type's topic from an app's topic; one that already has the suffix stays unchanged.
    func topic(of topic: String) -> String {
        topic.hasSuffix(topicSuffix) ? topic : topic + topicSuffix
    }

    /// The largest payload in bytes (C1.1).
    var payloadBytesMax: Int { self == .voip ? 5120 : 4096 }

    /// True if Apple accepts the type only with a provider token.
    var needsProviderToken: Bool { self == .location || self == .liveactivity }

    /// True if the payload says nothing except that something changed.
    var isContentChange: Bool { self == .widgets || self == .controls }
}
