import Campaigns
import HTTPTypes
import HummingbirdCore
import Settings
import Store

/// A route of the edge.
struct EdgeRoute: PathRoute {
    typealias Handler = @Sendable (EdgeCall, ServerCore) async throws -> Answer

    /// The credential that a request needs in `Authorization: Bearer …`.
    enum Access: Sendable, Equatable {
        /// The secret that a device received at its registration.
        case device
        /// The device's secret, or an integration key of its app for a device that is not known yet.
        case deviceOrIntegrationKey
    }

    let method: HTTPRequest.Method
    let path: PathTemplate
    let access: Access
    /// The name in the OpenAPI document and in metrics; distinct from all operations of the API.
    let operation: String
    let handler: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: PathTemplate,
        _ access: Access,
        _ operation: String,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.operation = operation
        self.handler = handler
    }
}

/// The sender of a request to the edge.
enum EdgeCaller: Sendable, Equatable {
    /// An installation that shows its app's integration key; otherwise unknown.
    case integrationKey
    /// A device that shows its secret.
    case device(EdgeDevice)
}

/// A request for a handler of the edge.
struct EdgeCall: Sendable {
    let request: Request
    let parameters: [String: String]
    let query: Query
    /// The app of the device or of the integration key.
    let app: AppConfiguration
    /// The app's settings for its devices.
    let edge: EdgeConfiguration
    let caller: EdgeCaller

    /// The calling device; only for routes that take no integration key.
    var device: EdgeDevice {
        guard case .device(let device) = caller else { preconditionFailure("the route takes integration keys too") }
        return device
    }

    /// Returns a parameter of the route's path.
    func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route has no parameter \(name)") }
        return value
    }
}
