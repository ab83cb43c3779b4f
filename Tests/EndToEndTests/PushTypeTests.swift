import Campaigns
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Apple's push types, from the job to a push service that is as strict as Apple's pages.
    @Suite("Push types")
    struct PushTypes {
        /// The content of a job for a push type.
        private static func content(_ type: PushType) -> JSONValue {
            switch type {
            case .alert: ["title": "Goal!"]
            case .background: ["content_available": true]
            case .liveactivity:
                ["live_activity": ["event": "update", "content_state": ["home": 1], "timestamp": 1_700_000_000]]
            case .mdm: ["apns": ["mdm": "a magic word"]]
            case .widgets, .controls, .pushtotalk: .object([JSONMember]())
            case .location, .voip, .complication, .fileprovider: ["data": ["query": 7]]
            }
        }

        /// The row of a push type in Providers.md: what follows the bundle id in its topic, and its priority.
        private static let rows: [PushType: (suffix: String, priority: String)] = [
            .alert: ("", "10"), .background: ("", "5"), .location: (".location-query", "10"),
            .voip: (".voip", "10"), .complication: (".complication", "10"),
            .fileprovider: (".pushkit.fileprovider", "10"), .mdm: ("", "10"),
            .liveactivity: (".push-type.liveactivity", "10"), .pushtotalk: (".voip-ptt", "10"),
            .widgets: (".push-type.widgets", "10"), .controls: (".push-type.controls", "10"),
        ]

        @Test func `a campaign of each of Apple's push types is accepted, with the topic and priority of its row`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                for type in PushType.allCases {
                    let row = try #require(Self.rows[type])
                    var job = TestJob("type-\(type.rawValue)", TestDevices.tokens(1))
                    job.content = Self.content(type)
                    job.delivery = ["push_type": .string(type.rawValue)]
                    try await fleet.publish(job)
                    let status = try await fleet.completed(job.id)
                    let request = try #require(fleet.simulator.lastRequests.last)
                    #expect(status.counts.accepted == 1, "\(type): \(request)")
                    #expect(request.headers["apns-push-type"] == type.rawValue)
                    #expect(request.headers["apns-topic"] == "com.example.news\(row.suffix)")
                    #expect(request.headers["apns-priority"] == row.priority, "\(type)")
                }
            }
        }
    }
}
