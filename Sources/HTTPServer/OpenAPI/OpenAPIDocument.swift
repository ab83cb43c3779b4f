package import Campaigns
import HTTPTypes

/// The API as an OpenAPI 3.1 document, built from the table of routes.
package enum OpenAPIDocument {
    /// Returns the document; `version` is the program's.
    package static func make(version: String) -> JSONValue {
        var paths: [JSONMember] = []
        let api = RouteTable.all.map { ($0.path.description, $0.method, operation($0)) }
        let edge = EdgeRoutes.all.map { ($0.path.description, $0.method, operation($0)) }
        for (path, verb, operation) in api + edge {
            let method = JSONMember(verb.rawValue.lowercased(), operation)
            if let place = paths.firstIndex(where: { $0.name == path }), case .object(let others) = paths[place].value {
                paths[place].value = .object(others + [method])
            } else {
                paths.append(JSONMember(path, .object([method])))
            }
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Fanfare", "version": .string(version),
                "description": "Push campaigns: sending, following and controlling them.",
            ],
            "security": [["token": []]], "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "integrationKey": [
                        "type": "http", "scheme": "bearer", "description": "A key that the app ships with.",
                    ],
                    "deviceSecret": [
                        "type": "http", "scheme": "bearer", "description": "The secret of a registered device.",
                    ],
                ],
                "schemas": .object(Schemas.all + EdgeSchemas.all),
            ],
        ]
    }

    private static func operation(_ route: Route) -> JSONValue {
        guard let operation = APIOperations.all[route.operation] else {
            preconditionFailure("the operation \(route.operation) is not described")
        }
        let role: JSONValue? = if case .role(let role) = route.access { .string(role.rawValue) } else { nil }
        return .object([
            "operationId": .string(route.operation), "summary": .string(operation.summary),
            "x-fanfare-role": role, "security": route.access == .open ? .array([]) : nil,
            "parameters": .array(parameters(route.path, operation)),
            "requestBody": operation.body.map(body), "responses": responses(operation, bad: problem, failure: "503"),
        ])
    }

    private static func operation(_ route: EdgeRoute) -> JSONValue {
        guard let operation = EdgeOperations.all[route.operation] else {
            preconditionFailure("the operation \(route.operation) is not described")
        }
        let keys: [JSONValue] = route.access == .device ? [] : [["integrationKey": []]]
        return .object([
            "operationId": .string(route.operation), "summary": .string(operation.summary), "tags": ["edge"],
            "security": .array(keys + [["deviceSecret": []]]),
            "parameters": .array(parameters(route.path, operation)),
            "requestBody": operation.body.map(body), "responses": responses(operation, bad: refusal, failure: "5XX"),
        ])
    }

    private static let problem: JSONValue = [
        "description": "A problem (RFC 9457)",
        "content": ["application/problem+json": ["schema": Schemas.reference("Problem")]],
    ]

    private static let refusal: JSONValue = [
        "description": "A refusal of the edge",
        "content": ["application/json": ["schema": Schemas.reference("EdgeRefusal")]],
    ]

    private static func parameters(_ path: PathTemplate, _ operation: Operation) -> [JSONValue] {
        let places = path.parameters.map { name in
            parameter(name, in: "path", schema: schemas[name] ?? Schemas.text, isRequired: true)
        }
        let query = operation.query.map { parameter($0.name, in: "query", schema: $0.schema, isRequired: false) }
        let fields = operation.fields.map { name in
            parameter(name, in: "header", schema: schemas[name] ?? Schemas.id, isRequired: false)
        }
        return places + query + fields
    }

    /// The schemas of parameters, by name.
    private static let schemas: [String: JSONValue] = [
        "app": Schemas.app, "id": Schemas.id, "list": Schemas.id, "content": Schemas.id,
        "number": ["type": "integer", "minimum": 1],
        "device": ["type": "string", "minLength": 1, "maxLength": 128],
        "Last-Event-ID": ["type": "integer", "minimum": 0], "Fanfare-User": Schemas.text, "Range": Schemas.text,
        "If-None-Match": Schemas.text,
    ]

    private static func parameter(_ name: String, in place: String, schema: JSONValue, isRequired: Bool) -> JSONValue {
        ["name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": schema]
    }

    private static func body(_ body: Operation.Body) -> JSONValue {
        let content: JSONValue =
            switch body {
            case .json(let name): ["application/json": ["schema": Schemas.reference(name)]]
            case .content: contents
            case .devices: ["text/csv": ["schema": Schemas.text], "application/x-ndjson": ["schema": Schemas.text]]
            }
        return ["required": true, "content": content]
    }

    /// Every type of content.
    private static let contents = JSONValue.object(
        ContentType.allCases.map { JSONMember($0.rawValue, .object([JSONMember]())) }
    )

    private static func responses(_ operation: Operation, bad: JSONValue, failure: String) -> JSONValue {
        let content: JSONValue =
            switch operation.good {
            case .json(let name): ["application/json": ["schema": Schemas.reference(name)]]
            case .text(let type): [type: ["schema": Schemas.text]]
            case .content: contents
            }
        let good = operation.statuses.map { status in
            JSONMember(String(status), ["description": .string(operation.summary), "content": content])
        }
        let others = ["4XX", failure].filter { name in !operation.statuses.contains { String($0) == name } }
        return .object(good + others.map { JSONMember($0, bad) })
    }
}
