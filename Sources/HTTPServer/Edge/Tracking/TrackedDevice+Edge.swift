import Campaigns
import Fleet
import Store

extension TrackedDevice {
    /// What a message id says, if the app's key signed it; nil for one that is made up, or another app's.
    init?(messageID: String, sentBy device: EdgeDevice, of app: AppConfiguration) {
        guard let keys = app.messageKeys, let id = MessageID(messageID.utf8, app: app.name, keys: keys) else {
            return nil
        }
        self.init(app: app.name, campaign: id.campaign, index: id.device, registered: device.number)
    }
}

extension TrackingEvent {
    /// An event as a device's request has it.
    init(_ event: TrackingRequest.Entry, of device: TrackedDevice) {
        self.init(device: device, type: event.type, surface: event.surface, detail: event.detail, at: event.at)
    }
}
