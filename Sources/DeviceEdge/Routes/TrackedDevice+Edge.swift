import Campaigns
import Settings
import Store

extension TrackedDevice {
    /// Decodes a message id that the app's key signed; nil for a forged one or another app's.
    init?(messageID: String, sentBy device: EdgeDevice, of app: AppConfiguration) {
        guard let keys = app.messageKeys, let id = MessageID(messageID.utf8, app: app.name, keys: keys) else {
            return nil
        }
        self.init(app: app.name, campaign: id.campaign, index: id.device, registered: device.number)
    }
}

extension TrackingEvent {
    /// Makes an event from an entry of a device's request.
    init(_ event: TrackingRequest.Entry, of device: TrackedDevice) {
        self.init(device: device, type: event.type, surface: event.surface, detail: event.detail, at: event.at)
    }
}
