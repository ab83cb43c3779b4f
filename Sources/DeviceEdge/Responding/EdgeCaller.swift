import Settings
import Store
import WebServing

/// The sender of a request to the edge.
struct EdgeCaller: Sendable {
    /// The credential that the sender shows.
    enum Credential: Sendable, Equatable {
        /// None: the route is for everybody.
        case none
        /// An installation that shows its app's integration key; otherwise unknown.
        case integrationKey
        /// A device that shows its secret.
        case device(EdgeDevice)
    }

    /// The app of the device or of the integration key, and its settings for its devices; nil without a credential.
    let known: (app: AppConfiguration, edge: EdgeConfiguration)?
    let credential: Credential

    /// Anybody, for routes that need no credential.
    static let anybody = EdgeCaller(known: nil, credential: .none)

    /// True for a device that shows its secret.
    var isDevice: Bool { if case .device = credential { true } else { false } }
}

extension Call<EdgeResponder> {
    var app: AppConfiguration { known.app }
    var edge: EdgeConfiguration { known.edge }

    private var known: (app: AppConfiguration, edge: EdgeConfiguration) {
        guard let known = caller.known else { preconditionFailure("the route takes no credentials") }
        return known
    }

    /// The calling device; only for routes that take no integration key.
    var device: EdgeDevice {
        guard case .device(let device) = caller.credential else {
            preconditionFailure("the route takes integration keys too")
        }
        return device
    }
}
