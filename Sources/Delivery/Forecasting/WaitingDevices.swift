public import Campaigns

/// The devices of a campaign that wait to be sent to, by provider: what others find ahead of theirs.
public struct WaitingDevices: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The urgency.
    public var urgency: Urgency
    /// The number of devices by provider.
    public var devices: [ProviderName: Int]

    /// Devices that wait.
    public init(app: String, urgency: Urgency, devices: [ProviderName: Int]) {
        (self.app, self.urgency, self.devices) = (app, urgency, devices)
    }
}
