import Settings
import Store
import WebServing

/// The sender of a request to the edge.
struct EdgeCaller: Sendable {
    /// The credential that the sender shows.
    enum Credential: Sendable, Equatable {
        /// An installation that shows its app's integration key; otherwise unknown.
        case integrationKey
        /// A device that shows its secret.
        case device(EdgeDevice)
    }

    /// The app of the device or of the integration key.
    let app: AppConfiguration
    /// The app's settings for its devices.
    let edge: EdgeConfiguration
    let credential: Credential

    /// True for a device that shows its secret.
    var isDevice: Bool { credential != .integrationKey }
}

extension Call<EdgeResponder> {
    var app: AppConfiguration { caller.app }

    /// The calling device; only for routes that take no integration key.
    var device: EdgeDevice {
        guard case .device(let device) = caller.credential else {
            preconditionFailure("the route takes integration keys too")
        }
        return device
    }
}
