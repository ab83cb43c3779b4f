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
        #expect(found.contains("#/components/messages/job/payload/schema/$defs/job"))
        for reference in found { #expect(target(reference, in: document) != nil, "\(reference)") }
        for kind in CampaignEvent.Kind.allCases {
            #expect(document["components"]?["messages"]?[kind.rawValue] != nil)
            #expect(document["channels"]?["events"]?["messages"]?[kind.rawValue] != nil)
        }
    }

    @Test func `the job is that of its own schema, with the references of this document`() throws {
        let document = try #require(JSONReader.read(Array(AsyncAPI.text.utf8)).value)
        let job = try #require(document["components"]?["messages"]?["job"]?["payload"]?["schema"])
        let whole = try #require(JSONReader.read(Array(JobSchema.text.utf8)).value)
        let moved = job.text.replacing("#/components/messages/job/payload/schema/", with: "#/")
        #expect(moved == JSONValue.object(whole.members?.filter { !["$schema", "$id"].contains($0.name) } ?? []).text)
    }

    /// An event of each kind, with everything that one can have.
    private static let events: [CampaignEvent] = {
        let now = Fixtures.now
        let app = "news"
        let problem = Problem(pointer: "/a", code: .unusual, detail: "d", fix: "f")
        var job = Job(id: "c", app: app, audience: .list(name: "fans", version: nil), content: Content())
        job.name = "Derby"
        job.createdAt = now
        let known = CampaignEvent.Known(acceptedAt: now, state: "completed")
        let refusal = ProblemDocument(.invalidJob, title: "t", campaign: "c", errors: [problem], warnings: [problem])
        let shard = SettledShard(
            campaign: "c",
            app: app,
            provider: .apns,
            id: ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: 0)),
            attempt: 1,
            counts: OutcomeCounts(),
            retried: 0,
            held: 0,
            requests: 0,
            reasons: ["Unregistered": 1]
        )
        let device = InvalidDevice(token: "t", id: "i", since: now, reason: "r")
        return [
            .accepted(job, expiresAt: now, warnings: [problem], known: known, at: now),
            .refused(refusal, app: app, sequence: 1, at: now),
            .started(app: app, campaign: "c", audience: 1, at: now),
            .pausing(.paused, app: app, campaign: "c", reasons: ["operator"], sequence: 1, at: now),
            .pausing(.resumed, app: app, campaign: "c", reasons: [], sequence: 2, at: now),
            .over(.completed, app: app, campaign: "c", audience: 0, counts: OutcomeCounts(), pending: 0, at: now),
            .over(.cancelled, app: app, campaign: "c", audience: 0, counts: OutcomeCounts(), pending: 0, at: now),
            .suspended(app: app, provider: .apns, reason: "r", sequence: 1, at: now),
            .takenUp(app: app, provider: .apns, sequence: 1, at: now),
            .settled(shard, sequence: 1, at: now),
            .invalid([device], app: app, campaign: "c", provider: .apns, sequence: 1, at: now),
        ]
    }()

    @Test(arguments: events)
    func `an event's data has the members that the document names`(event: CampaignEvent) throws {
        let document = try #require(JSONReader.read(Array(AsyncAPI.text.utf8)).value)
        let payload = document["components"]?["messages"]?[event.kind.rawValue]?["payload"]
        let data = try #require(payload?["allOf"]?.array?.last?["properties"]?["data"])
        let names = Set(event.data.members?.map(\.name) ?? [])
        #expect(names == Set(data["properties"]?.members?.map(\.name) ?? []))
        #expect(names.isSuperset(of: data["required"]?.array?.compactMap(\.string) ?? []))
    }

    @Test func `the events that are held against the document are all`() {
        #expect(Set(AsyncAPITests.events.map(\.kind)) == Set(CampaignEvent.Kind.allCases))
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
