import Campaigns
import HTTPTypes
import Testing

@testable import DeviceEdge
@testable import HTTPServer
@testable import WebServing

/// The OpenAPI document, compared with the routes.
@Suite struct OpenAPITests {
    @Test func `every route is described, and nothing else is`() {
        #expect(Set(APIRoutes.all.map(\.operation)) == Set(APIOperations.all.keys))
        #expect(Set(EdgeRoutes.all.map(\.operation)) == Set(EdgeOperations.all.keys))
        #expect(Set(APIOperations.all.keys).isDisjoint(with: EdgeOperations.all.keys))
    }

    @Test func `every path of the document leads to its route`() throws {
        let document = OpenAPIDocument.make(version: "1", [ServedAPI.section, ServedEdge.section])
        let paths = try #require(document["paths"]?.members)
        let routes =
            APIRoutes.all.map { (operation: $0.operation, path: $0.pattern.path, method: $0.pattern.method) }
            + EdgeRoutes.all.map { (operation: $0.operation, path: $0.pattern.path, method: $0.pattern.method) }
        var count = 0
        for path in paths {
            for method in try #require(path.value.members) {
                let name = method.value["operationId"]?.string
                let route = try #require(routes.first { $0.operation == name })
                #expect(route.path.description == path.name && route.method.rawValue.lowercased() == method.name)
                let names = method.value["parameters"]?.array?.filter { $0["in"]?.string == "path" }
                #expect(names?.compactMap { $0["name"]?.string } == route.path.parameters)
                count += 1
            }
        }
        #expect(count == routes.count)
    }

    /// Returns a value and all values in it.
    private func all(in value: JSONValue) -> [JSONValue] {
        switch value {
        case .object(let members): [value] + members.flatMap { all(in: $0.value) }
        case .array(let items): [value] + items.flatMap { all(in: $0) }
        default: [value]
        }
    }

    @Test func `nothing is in it that generators of clients leave out`() throws {
        let values = all(in: OpenAPIDocument.make(version: "1", [ServedAPI.section, ServedEdge.section]))
        for value in values where value["type"] == "array" { #expect(value["items"] != nil, "\(value.text)") }
        for value in values where value["properties"] != nil { #expect(value["oneOf"] == nil, "\(value.text)") }
        for body in values.compactMap({ $0["requestBody"] }) {
            let content = try #require(body["content"]?.members)
            #expect(content.count == 1 && content.first?.value["schema"] != nil, "\(body.text)")
        }
    }

    @Test func `every reference leads somewhere`() throws {
        let document = OpenAPIDocument.make(version: "1", [ServedAPI.section, ServedEdge.section])
        let names = Set((Schemas.all + EdgeSchemas.all).map(\.name))
        func references(_ value: JSONValue) -> [String] {
            switch value {
            case .object(let members):
                members.flatMap { $0.name == "$ref" ? [$0.value.string ?? ""] : references($0.value) }
            case .array(let items): items.flatMap(references)
            default: []
            }
        }
        let found = references(document)
        #expect(found.count > 20)
        for reference in found {
            #expect(names.contains(String(reference.dropFirst("#/components/schemas/".count))), "\(reference)")
        }
    }
}
