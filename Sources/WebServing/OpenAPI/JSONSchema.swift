package import Campaigns

/// Schemas that the bodies and parameters of all responders use (JSON Schema 2020-12, as in OpenAPI 3.1).
package enum JSONSchema {
    package static let text: JSONValue = ["type": "string"]
    package static let app: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"]
    package static let id: JSONValue = ["type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$"]
    package static let bytes: JSONValue = ["type": "string", "format": "binary"]

    /// Returns a reference to a schema of the document.
    package static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
}
