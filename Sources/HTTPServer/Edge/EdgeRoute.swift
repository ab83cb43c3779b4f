import Campaigns
import Fleet
import HTTPTypes
import HummingbirdCore
import Store

/// One thing that an app's installations can ask for.
struct EdgeRoute: PathRoute {
    typealias Handler = @Sendable (EdgeCall, ServerCore) async throws -> Answer

    /// What a request has to show in `Authorization: Bearer …`.
    enum Access: Sendable, Equatable {
        /// The secret that a device got when it registered.
        case device
        /// That, or an integration key of its app: for a device that is not known yet.
        case deviceOrIntegrationKey
    }

    let method: HTTPRequest.Method
    let path: PathTemplate
    let access: Access
    /// The name in the OpenAPI document and in metrics; no route of the API has it.
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

/// Who asks at the edge.
enum EdgeCaller: Sendable, Equatable {
    /// An installation of an app that shows the app's key; nothing is known of it.
    case integrationKey
    /// A device that shows its secret.
    case device(EdgeDevice)
}

/// A request on its way to a handler of the edge.
struct EdgeCall: Sendable {
    let request: Request
    let parameters: [String: String]
    let query: Query
    /// The app that the request is for: the device's, or the integration key's.
    let app: AppConfiguration
    /// What the app lets its devices do.
    let edge: EdgeConfiguration
    let caller: EdgeCaller

    /// The device that asks; only in routes that take devices alone.
    var device: EdgeDevice {
        guard case .device(let device) = caller else { preconditionFailure("the route takes integration keys too") }
        return device
    }

    /// A parameter of the route's path.
    func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route has no parameter \(name)") }
        return value
    }
}
