package import Campaigns

/// The API as an OpenAPI 3.1 document, built from the tables of routes.
package enum OpenAPIDocument {
    /// Returns the document; `version` is the program's.
    package static func make(version: String, _ sections: [OpenAPISection]) -> JSONValue {
        var paths: [JSONMember] = []
        for (path, method, description) in sections.flatMap(\.operations) {
            let method = JSONMember(method, description)
            if let index = paths.firstIndex(where: { $0.name == path }), case .object(let others) = paths[index].value {
                paths[index].value = .object(others + [method])
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
                "schemas": .object(sections.flatMap(\.schemas)),
            ],
        ]
    }
}
