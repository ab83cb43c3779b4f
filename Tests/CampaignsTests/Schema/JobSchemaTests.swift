import Foundation
import PushProviders
import Testing

@testable import Campaigns

@Suite("The job's schema")
struct JobSchemaTests {
    /// Each field list of the decoder, with the path of its object in the schema.
    private static let objects: [(FieldList, String)] = [
        (JobFields.job, "job"), (JobFields.audience, "audience"), (JobFields.exclude, "exclude"),
        (JobFields.activity, "activity"),
        (JobFields.device, "device"),
        (JobFields.content, "content"), (JobFields.sound, "sound"), (JobFields.liveActivity, "live_activity"),
        (JobFields.delivery, "delivery"), (JobFields.localization, "localization"), (JobFields.action, "action"),
        (JobFields.rich, "rich"), (JobFields.announcement, "announcement"), (JobFields.poll, "poll"),
        (JobFields.question, "question"), (JobFields.choice, "choice"), (JobFields.dataPush, "data_push"),
        (JobFields.inApp, "in_app"), (JobFields.inAppButton, "in_app_button"),
        (JobFields.inAppDelivery, "in_app_delivery"), (JobFields.inAppTrigger, "in_app_trigger"),
        (JobFields.inAppFilter, "in_app_filter"),
    ]

    private func definitions() throws -> JSONValue {
        let reading = JSONReader.read(Array(JobSchema.text.utf8))
        #expect(reading.problems.isEmpty)
        return try #require(reading.value?["$defs"])
    }

    @Test func `decoder and schema have the same fields and defaults`() throws {
        let definitions = try definitions()
        for (list, name) in JobSchemaTests.objects {
            let object = try #require(definitions[name])
            #expect(object["additionalProperties"] == false)
            let required = object["required"]?.array?.compactMap(\.string) ?? []
            let properties = try #require(object["properties"]?.members)
            #expect(Set(properties.map(\.name)) == Set(list.fields.map(\.name)), "\(name)")
            for field in list.fields {
                let property = try #require(object["properties"]?[field.name])
                if required.contains(field.name) {
                    #expect(property["default"] == nil, "\(name).\(field.name)")
                } else {
                    #expect(property["default"] == field.standard ?? .null, "\(name).\(field.name)")
                }
            }
        }
    }

    @Test func `every field of the lists is really read`() throws {
        let live = JobFixtures.liveActivity
        let objects: [(FieldList, String, [String])] = [
            (JobFields.job, JobFixtures.minimal, []), (JobFields.audience, JobFixtures.minimal, ["audience"]),
            (JobFields.exclude, JobFixtures.minimal, ["audience", "exclude"]),
            (JobFields.device, JobFixtures.minimal, ["audience", "devices", "0"]),
            (JobFields.content, live, ["content"]), (JobFields.delivery, live, ["delivery"]),
            (JobFields.sound, JobFixtures.full, ["content", "sound"]),
            (JobFields.liveActivity, live, ["content", "live_activity"]),
            (JobFields.localization, JobFixtures.full, ["content", "localizations", "pt-BR"]),
            (JobFields.action, JobFixtures.full, ["content", "actions", "0"]),
        ]
        for (list, job, path) in objects {
            for field in list.fields {
                // An audience has one selector, and a second one is a different problem.
                let whole = field.name == "list" ? JobFixtures.patch(job, path: ["audience"], "{}") : job
                let decoding = JobFixtures.decode(JobFixtures.patch(whole, path: path + [field.name], "null"))
                let pointer = "/" + (path + [field.name]).joined(separator: "/")
                #expect(decoding.problems.contains { $0.pointer == pointer && $0.code == "type" }, "\(pointer)")
            }
        }
    }

    @Test func `every reference in the schema leads somewhere`() throws {
        let definitions = try definitions()
        func references(_ value: JSONValue) -> [String] {
            switch value {
            case .object(let members):
                members.flatMap { $0.name == "$ref" ? [$0.value.string ?? ""] : references($0.value) }
            case .array(let elements): elements.flatMap(references)
            default: []
            }
        }
        let names = Set(references(definitions))
        #expect(names.count > 10)
        for name in names {
            let target = try #require(name.split(separator: "/").last.map(String.init))
            #expect(name == "#/$defs/\(target)" && definitions[target] != nil, "\(name)")
        }
    }

    @Test func `words that the decoder takes are the schema's`() throws {
        let definitions = try definitions()
        func words(_ object: String, _ property: String) -> Set<String> {
            Set(definitions[object]?["properties"]?[property]?["enum"]?.array?.compactMap(\.string) ?? [])
        }
        #expect(words("delivery", "push_type") == Set(PushType.allCases.map(\.rawValue)))
        #expect(words("delivery", "priority") == Set(DeliveryOptions.Priority.allCases.map(\.rawValue)))
        #expect(words("delivery", "urgency") == Set(Urgency.allCases.map(\.rawValue)))
        #expect(words("delivery", "on_unknown") == Set(DeliveryDecoder.onUnknown))
        #expect(words("device", "environment") == Set(PushEnvironment.apple.map(\.rawValue)))
        #expect(words("job", "kind") == Set(CampaignKind.allCases.map(\.rawValue)))
        #expect(words("announcement", "format") == Set(Announcement.Format.allCases.map(\.rawValue)))
        #expect(words("question", "select") == Set(Poll.Selection.allCases.map(\.rawValue)))
        #expect(words("data_push", "encoding") == Set(DataPush.Encoding.allCases.map(\.rawValue)))
        #expect(words("content", "interruption_level") == Set(ContentDecoder.interruptionLevels))
    }

    @Test func `a job that spells out every default is the job without them`() throws {
        var job = JSONReader.read(Array(JobFixtures.minimal.utf8)).value ?? .null
        func complete(_ value: JSONValue, _ list: FieldList) -> JSONValue {
            var members = value.members ?? []
            for field in list.fields where value[field.name] == nil {
                if let standard = field.standard { members.append(JSONMember(field.name, standard)) }
            }
            return .object(members)
        }
        let lists = ["content": JobFields.content, "delivery": JobFields.delivery, "audience": JobFields.audience]
        job = complete(job, JobFields.job)
        let members = (job.members ?? []).map { member in
            JSONMember(member.name, lists[member.name].map { complete(member.value, $0) } ?? member.value)
        }
        let decoding = JobFixtures.decode(JSONValue.object(members).text)
        #expect(decoding.problems.isEmpty)
        let minimal = try #require(JobFixtures.decode(JobFixtures.minimal).job)
        #expect(decoding.job?.canonicalJSON() == minimal.canonicalJSON())
    }

    @Test(arguments: [".", "..", "...", ".a", "a.", "a..b", "-", "", "a b", "a@b", "d\u{E9}j\u{E0}", "v1:2_3-4"])
    func `a name is one to the schema when it is one to the decoder`(_ name: String) throws {
        let definitions = try definitions()
        func fits(_ name: String, _ schema: JSONValue?) throws -> Bool {
            let pattern = try #require(schema?["pattern"]?.string)
            return name.range(of: pattern, options: .regularExpression) != nil
        }
        let isID = NameRule.isID(name)
        #expect(try fits(name, definitions["job"]?["properties"]?["id"]) == isID)
        #expect(try fits(name, definitions["word"]) == isID)
        #expect(try fits(name, definitions["in_app_button"]?["properties"]?["id"]) == isID)
        #expect(try fits("fans@" + name, definitions["list_name"]) == isID)
        #expect(try fits(name + "@v1", definitions["list_name"]) == isID)
        if !name.contains("@") { #expect(try fits(name, definitions["list_name"]) == isID) }
    }

    @Test func `the file beside the examples is the schema that the command prints`() throws {
        let file = JobSchemaTests.folder.appending(path: "schema/job.schema.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == JobSchema.text)
    }

    @Test func `every example decodes`() throws {
        let examples = JobSchemaTests.folder.appending(path: "examples/jobs")
        let files = try FileManager.default.contentsOfDirectory(at: examples, includingPropertiesForKeys: nil)
        #expect(files.count >= 6)
        for file in files {
            let decoding = JobDecoder.decode(
                Array(try Data(contentsOf: file)),
                envelope: JobEnvelope(now: JobFixtures.now, tokens: ProviderRegistry.tokens)
            )
            #expect(decoding.problems.isEmpty, "\(file.lastPathComponent)")
            #expect(decoding.warnings.isEmpty, "\(file.lastPathComponent)")
        }
    }

    /// The repository's folder `Deploy`.
    private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Deploy")
}
