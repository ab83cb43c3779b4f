import Testing

@testable import Campaigns

@Suite("What collapses in the queue")
struct CollapseNameTests {
    private func name(
        _ id: String? = "score",
        app: String = "news",
        list: String? = "fans@1",
        supersede: Bool = true,
        devices: String? = "v1"
    ) -> [UInt8]? {
        let parts = list?.split(separator: "@").map(String.init)
        let audience = parts.map { Audience.list(name: $0[0], version: $0[1]) } ?? .devices([])
        var job = Job(id: "j", app: app, audience: audience, content: Content())
        job.delivery.collapseID = id
        job.delivery.supersede = supersede
        return job.collapseName(devicesVersion: devices)
    }

    @Test func `app, id and audience by name, whatever the version of the list`() {
        #expect(name() != nil)
        #expect(name() == name(list: "fans@2"))
        #expect(name() != name(list: "others@1"))
        #expect(name() != name("weather"))
        #expect(name() != name(app: "shop"))
        #expect(name(list: nil) == name(list: nil))
        #expect(name(list: nil) != name(list: nil, devices: "v2"))
        #expect(name() != name(list: nil, devices: "fans"))
    }

    @Test func `nothing collapses without an id, with one that differs by device, or when it opts out`() {
        #expect(name(nil) == nil)
        #expect(name("{{ match }}") == nil && name("{% if a %}b{% endif %}") == nil)
        #expect(name(supersede: false) == nil)
    }
}
