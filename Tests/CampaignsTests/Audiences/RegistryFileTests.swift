import Campaigns
import PushProviders
import Testing

@Suite("Registry files")
struct RegistryFileTests {
    private static let token = JobFixtures.token

    private func read(_ text: String, _ format: AudienceFileFormat) -> ([DeviceRegistration], AudienceFileReport) {
        var reader = DeviceFileReader(format, .registry, tokens: ProviderRegistry.tokens)
        var found: [DeviceRegistration] = []
        reader.read(Array(text.utf8)) { registration, _ in found.append(registration) }
        reader.finish { registration, _ in found.append(registration) }
        return (found, reader.report)
    }

    private static let ana = DeviceRegistration(
        device: Device(token: token, environment: .sandbox, id: "ana", locale: "es-ES", timeZone: "Europe/Madrid"),
        user: .user("u1"),
        tags: .set(["sport", "league:laliga"]),
        attributes: ["level": .number(JSONNumber(text: "5")), "team": .text("atleti"), "vip": .bool(true)],
        permission: .denied,
        appVersion: "3.2.0",
        registeredAt: Timestamp(milliseconds: 1_795_000_000_000)
    )

    @Test func `CSV says who a device is, and every other column is an attribute`() {
        let instant = Timestamp(milliseconds: 1_795_000_000_000).rfc3339
        let (found, report) = read(
            """
            token,id,environment,locale,time_zone,user,tags,permission,app_version,registered_at,level,attributes.team,vip
            \(Self.token),ana,sandbox,es-ES,Europe/Madrid,u1,sport; league:laliga,denied,3.2.0,\(instant),5,atleti,true
            \(Self.token),,,,,,,,,,,,
            """,
            .csv
        )
        #expect(report.problems.isEmpty)
        #expect(found == [Self.ana, DeviceRegistration(device: Device(token: Self.token))])
    }

    @Test func `NDJSON says the same`() {
        let instant = Timestamp(milliseconds: 1_795_000_000_000).rfc3339
        let (found, report) = read(
            """
            {"token":"\(Self.token)","id":"ana","environment":"sandbox","locale":"es-ES","time_zone":"Europe/Madrid",\
            "user":"u1","tags":["sport","league:laliga"],"permission":"denied","app_version":"3.2.0",\
            "registered_at":"\(instant)","attributes":{"level":5,"team":"atleti","vip":true}}
            {"token":"\(Self.token)","user":null}
            """,
            .ndjson
        )
        #expect(report.problems.isEmpty)
        #expect(found.first == Self.ana)
        #expect(found.last?.user == .nobody)
    }

    @Test(arguments: [
        ("user", "\"\""), ("tags", "\"sport\""), ("tags", "[\"\"]"), ("permission", "\"maybe\""),
        ("app_version", "\"new\""), ("registered_at", "\"yesterday\""), ("attributes", "{\"a\":[]}"),
        ("attributes", "{\"\":1}"), ("variables", "{}"), ("token", "\"abc\""),
    ])
    func `a line that is no device is left out and told`(field: String, value: String) {
        let good = "{\"token\":\"\(Self.token)\"}"
        let bad =
            field == "token"
            ? "{\"token\":\(value)}" : "{\"token\":\"\(Self.token)\",\"\(field)\":\(value)}"
        let (found, report) = read("\(good)\n\(bad)\n\(good)", .ndjson)
        #expect(found.count == 2)
        #expect(report.refusedCount == 1 && report.problems.first?.line == 2)
    }

    @Test func `more tags than sixty are refused in both forms`() {
        let tags = (0..<61).map { "t\($0)" }
        #expect(read("token,tags\n\(Self.token),\(tags.joined(separator: ";"))", .csv).1.refusedCount == 1)
        #expect(read("token,tags\n\(Self.token),\(tags.dropLast().joined(separator: ";"))", .csv).1.refusedCount == 0)
        let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(read("{\"token\":\"\(Self.token)\",\"tags\":[\(list)]}", .ndjson).1.refusedCount == 1)
    }

    @Test func `a column that is nearly one of ours is an attribute with a warning`() {
        let (found, report) = read("token,premission\n\(Self.token),denied", .csv)
        #expect(found.first?.attributes == ["premission": .text("denied")])
        #expect(report.warnings.first?.fix == "did you mean permission?")
    }
}
