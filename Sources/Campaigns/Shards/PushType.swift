/// Apple's push types (`apns-push-type`), each with rules of its own.
public enum PushType: String, Sendable, CaseIterable {
    /// Shows text, a badge or a sound.
    case alert
    /// Wakes the app and shows nothing; never with high priority.
    case background
    /// Requests the location.
    case location
    /// Announces an incoming call; payloads of up to 5,120 bytes.
    case voip
    /// Updates a watch face.
    case complication
    /// Notifies a file provider of changes.
    case fileprovider
    /// Contacts device management.
    case mdm
    /// Starts, updates or ends a Live Activity.
    case liveactivity
    /// Serves a push-to-talk service.
    case pushtotalk
    /// Reloads widgets.
    case widgets
    /// Reloads controls.
    case controls
}
