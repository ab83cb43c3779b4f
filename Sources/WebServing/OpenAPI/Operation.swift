package import Campaigns

/// An operation's entry in the OpenAPI document.
package struct Operation: Sendable {
    /// The forms of a request's body.
    package enum Body: Sendable {
        /// An object of a schema.
        case json(String)
        /// Devices, as `list put` takes them.
        case devices
        /// A content that apps fetch.
        case content
        /// Bytes of a file.
        case bytes
    }

    /// The forms of a successful answer.
    package enum Good: Sendable {
        /// An object of a schema.
        case json(String)
        /// Text of a type.
        case text(String)
        /// A record a line, in the forms of an export.
        case lines
        /// A content that apps fetch.
        case content
    }

    let summary: String
    /// The successful statuses; any operation may also answer with a refusal.
    let statuses: [Int]
    let good: Good
    let body: Body?
    /// Names and schemas of the query's parameters.
    let query: [(name: String, schema: JSONValue)]
    /// Fields of the request besides the credential.
    let fields: [String]

    package init(
        summary: String,
        statuses: [Int] = [200],
        good: Good,
        body: Body? = nil,
        query: [(name: String, schema: JSONValue)] = [],
        fields: [String] = []
    ) {
        self.summary = summary
        self.statuses = statuses
        self.good = good
        self.body = body
        self.query = query
        self.fields = fields
    }
}

extension Operation {
    /// Returns the members that describe an operation's request and its answers.
    func members(parametersOf path: PathTemplate, refusal: JSONValue, failure: String) -> [JSONMember] {
        [JSONMember("parameters", .array(parameters(of: path)))]
            + (body.map { [JSONMember("requestBody", requestBody($0))] } ?? [])
            + [JSONMember("responses", responses(refusal: refusal, failure: failure))]
    }

    private func parameters(of path: PathTemplate) -> [JSONValue] {
        let ofPath = path.parameters.map { name in
            Self.parameter(name, in: "path", schema: Self.schemas[name] ?? JSONSchema.text, isRequired: true)
        }
        let query = query.map { Self.parameter($0.name, in: "query", schema: $0.schema, isRequired: false) }
        let fields = fields.map { name in
            Self.parameter(name, in: "header", schema: Self.schemas[name] ?? JSONSchema.id, isRequired: false)
        }
        return ofPath + query + contentType + fields
    }

    /// The parameter that names the type of a body of bytes; empty for other bodies.
    private var contentType: [JSONValue] {
        let types: [String]
        switch body {
        case .devices: types = ["text/csv", "application/x-ndjson"]
        case .content: types = ContentType.allCases.map(\.rawValue)
        case .json, .bytes, nil: return []
        }
        let schema: JSONValue = ["type": "string", "enum": .array(types.map(JSONValue.string))]
        return [Self.parameter("content_type", in: "query", schema: schema, isRequired: true)]
    }

    /// The schemas of parameters, by name.
    private static let schemas: [String: JSONValue] = [
        "app": JSONSchema.app, "id": JSONSchema.id, "list": JSONSchema.id, "content": JSONSchema.id,
        "channel": JSONSchema.id,
        "upload": JSONSchema.id, "part": ["type": "integer", "minimum": 0],
        "number": ["type": "integer", "minimum": 1],
        "device": ["type": "string", "minLength": 1, "maxLength": 128],
        "Last-Event-ID": ["type": "integer", "minimum": 0], "Fanfare-User": JSONSchema.text,
        "Range": JSONSchema.text, "If-None-Match": JSONSchema.text,
    ]

    private static func parameter(
        _ name: String,
        in location: String,
        schema: JSONValue,
        isRequired: Bool
    ) -> JSONValue {
        ["name": .string(name), "in": .string(location), "required": .bool(isRequired), "schema": schema]
    }

    private func requestBody(_ body: Body) -> JSONValue {
        switch body {
        case .json(let name):
            ["required": true, "content": ["application/json": ["schema": JSONSchema.reference(name)]]]
        case .bytes:
            ["required": true, "content": [BodyReader.bytesType: ["schema": JSONSchema.bytes]]]
        case .content, .devices:
            // Generators make no function of a body of several types, and none of most of these types.
            [
                "description": "A body that has its own type as Content-Type needs no content_type in the query.",
                "required": true, "content": [BodyReader.bytesType: ["schema": JSONSchema.bytes]],
            ]
        }
    }

    /// Every type of content, after one that no answer has and that is there for generators that do not know the rest.
    private static let contents = JSONValue.object(
        [JSONMember(BodyReader.bytesType, ["schema": JSONSchema.bytes])]
            + ContentType.allCases.map { JSONMember($0.rawValue, .object([JSONMember]())) }
    )

    /// The types of a file with a record a line.
    private static let lines: JSONValue = [
        "text/csv": ["schema": JSONSchema.text], "application/x-ndjson": ["schema": JSONSchema.text],
    ]

    private func responses(refusal: JSONValue, failure: String) -> JSONValue {
        let content: JSONValue =
            switch good {
            case .json(let name): ["application/json": ["schema": JSONSchema.reference(name)]]
            case .text(let type): [type: ["schema": JSONSchema.text]]
            case .lines: Self.lines
            case .content: Self.contents
            }
        let good = statuses.map { status in
            // A 304 has no body (RFC 9110, 15.4.5).
            JSONMember(
                String(status),
                .object(["description": .string(summary), "content": status == 304 ? nil : content])
            )
        }
        let others = ["4XX", failure].filter { name in !statuses.contains { String($0) == name } }
        return .object(good + others.map { JSONMember($0, refusal) })
    }
}
