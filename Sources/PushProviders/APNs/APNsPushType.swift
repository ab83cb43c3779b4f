import Campaigns

/// What Apple's push types ask for (`push-protocols.md`, C1.3).
extension PushType {
    /// What stands behind the bundle id in `apns-topic`.
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

    /// The topic for an app's; one that has the suffix already is left as it is.
    func topic(of topic: String) -> String {
        topic.hasSuffix(topicSuffix) ? topic : topic + topicSuffix
    }

    /// Bytes of the payload at most (C1.1).
    var payloadBytesMax: Int { self == .voip ? 5120 : 4096 }

    /// Whether Apple takes it with a provider token only.
    var needsProviderToken: Bool { self == .location || self == .liveactivity }

    /// Whether its payload is nothing but the news that something changed.
    var isContentChange: Bool { self == .widgets || self == .controls }
}
