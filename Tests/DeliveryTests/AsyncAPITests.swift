import Campaigns
import Delivery
import Foundation
import Testing

/// The AsyncAPI document, which is the queue contract for tools.
@Suite struct AsyncAPITests {
    /// Returns the target of a reference in the document.
    private func target(_ reference: String, in document: JSONValue) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
    }

    private func references(_ value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { $0.name == "$ref" ? [$0.value.string ?? ""] : references($0.value) }
        case .array(let values): values.flatMap(references)
        default: []
        }
    }

    @Test func `every reference leads somewhere, and every event is in it`() throws {
        let document = try #require(JSONReader.read(Array(AsyncAPI.text.utf8)).value)
        let found = references(document)
        #expect(found.contains("job.schema.json"))
        for reference in found where reference != "job.schema.json" {
            #expect(target(reference, in: document) != nil, "\(reference)")
        }
        for kind in CampaignEvent.Kind.allCases {
            #expect(document["components"]?["messages"]?[kind.rawValue] != nil)
            #expect(document["channels"]?["events"]?["messages"]?[kind.rawValue] != nil)
        }
    }

    @Test func `its exchanges are those of the topology`() throws {
        let document = try #require(JSONReader.read(Array(AsyncAPI.text.utf8)).value)
        let exchanges = TopologyManifest.fanfare(lanes: []).exchanges
        for channel in ["jobs", "events"] {
            let exchange = document["channels"]?[channel]?["bindings"]?["amqp"]?["exchange"]
            let known = exchanges.first { $0.name == exchange?["name"]?.string }
            #expect(known?.kind.rawValue == exchange?["type"]?.string)
        }
    }

    @Test func `the file in Deploy is what the command prints`() throws {
        let file = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deploy/schema/asyncapi.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == AsyncAPI.text)
    }
}
