package import Campaigns
import HTTPTypes

/// The routes and schemas of one responder in the OpenAPI document.
package struct OpenAPISection: Sendable {
    /// The routes' paths, methods and descriptions.
    let operations: [(path: String, method: String, description: JSONValue)]
    let schemas: [JSONMember]

    /// Describes routes by their operations' entries; `refusal` is the description of every answer that is not a
    /// success, `failure` the key of those for which the server is to blame, and `rights` adds members to an entry by
    /// the right that its route demands.
    package init<Responder: WebResponder>(
        _ routes: [Route<Responder>],
        _ entries: [String: Operation],
        schemas: [JSONMember],
        refusal: JSONValue,
        failure: String,
        rights: (Responder.Access) -> [JSONMember]
    ) {
        self.schemas = schemas
        operations = routes.map { route in
            guard let entry = entries[route.operation] else {
                preconditionFailure("the operation \(route.operation) is not described")
            }
            let path = route.pattern.path
            let names = [
                JSONMember("operationId", .string(route.operation)), JSONMember("summary", .string(entry.summary)),
            ]
            let forms = entry.members(parametersOf: path, refusal: refusal, failure: failure)
            let description = JSONValue.object(names + rights(route.access) + forms)
            return (path.description, route.pattern.method.rawValue.lowercased(), description)
        }
    }
}
