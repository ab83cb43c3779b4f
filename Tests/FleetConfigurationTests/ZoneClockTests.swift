import Campaigns
import Operations
import Testing

@Suite struct ZoneClockTests {
    @Test func `each zone's clock shows a reading at its own instant, unknown ones at the app's`() throws {
        let reading = try #require(LocalTime(text: "2026-11-20T21:05:00"))
        let zones = ["Europe/Madrid", nil, "No/Where", "../passwd"]
        let instants = ZoneClock.instants(of: reading, in: zones, own: "America/New_York")
        let madrid = try Timestamp(rfc3339: "2026-11-20T20:05:00Z")
        let newYork = try Timestamp(rfc3339: "2026-11-21T02:05:00Z")
        #expect(instants == ["Europe/Madrid": madrid, "": newYork, "No/Where": newYork, "../passwd": newYork])
        let utc = try Timestamp(rfc3339: "2026-11-20T21:05:00Z")
        #expect(ZoneClock.instants(of: reading, in: [nil], own: nil) == ["": utc])
    }
}
