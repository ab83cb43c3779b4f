import Campaigns
import Testing

@Suite("A channel as an audience")
struct ChannelAudienceTests {
    private func decode(_ audience: String) -> JobDecoding {
        JobFixtures.decode(
            """
            {"id": "derby-live-3", "app": "news", "audience": \(audience),
             "content": {"live_activity": {"event": "update", "timestamp": 1795204500, "content_state": {"home": 1}}},
             "delivery": {"push_type": "liveactivity"}}
            """
        )
    }

    @Test func `a channel is named, kept with the job, and read again`() throws {
        let job = try #require(decode(#"{"channel": "derby-21"}"#).job)
        #expect(job.audience == .channel("derby-21") && job.isBroadcast && !job.isFrozenFirst)
        #expect(try Job(stored: job.storedJSON()) == job)
        let other = try #require(decode(#"{"channel": "derby-22"}"#).job)
        #expect(job.canonicalJSON() != other.canonicalJSON())
    }

    @Test(arguments: [
        (#"{"channel": ""}"#, "/audience/channel", "empty"),
        (#"{"channel": "dHN0LXNyY2gtY2hubA=="}"#, "/audience/channel", "format"),
        (#"{"channel": 7}"#, "/audience/channel", "type"),
        (#"{"channel": "derby-21", "exclude": {"list": "unsubscribed"}}"#, "/audience/exclude", "conflict"),
        (#"{"channel": "derby-21", "at_most": 5}"#, "/audience/at_most", "conflict"),
        (#"{"channel": "derby-21", "list": "fans"}"#, "/audience", "conflict"),
        (#"{"list": "fans", "exclude": {"channel": "derby-21"}}"#, "/audience/exclude/channel", "unknown_field"),
    ])
    func `what a channel cannot be is refused with its place and a remedy`(
        audience: String,
        pointer: String,
        code: String
    ) {
        let decoding = decode(audience)
        #expect(decoding.job == nil)
        #expect(decoding.problems.contains { $0.pointer == pointer && $0.code == code }, "\(decoding.problems)")
    }

    @Test func `an in-app message goes to no channel`() {
        let decoding = JobFixtures.decode(
            """
            {"id": "hello", "app": "news", "kind": "in_app", "audience": {"channel": "derby-21"},
             "content": {"in_app": {"type": "modal", "header": "Hello"}},
             "delivery": {"in_app": {"triggers": [{"on": "session_start"}]}}}
            """
        )
        #expect(decoding.problems.contains { $0.pointer == "/audience/channel" && $0.code == "conflict" })
    }

    @Test func `a device cannot have the provider of broadcasts`() {
        let device = #"{"devices": [{"token": "dHN0LXNyY2gtY2hubA==", "provider": "broadcast"}]}"#
        #expect(decode(device).problems.map(\.pointer).contains("/audience/devices/0/provider"))
    }

    @Test func `only broadcasts reach a channel, and broadcasts reach nothing else`() throws {
        let channel = try #require(decode(#"{"channel": "derby-21"}"#).job)
        let list = try #require(decode(#"{"list": "fans"}"#).job)
        #expect(channel.mayReach(.broadcast) && !channel.mayReach(.apns) && !channel.mayReach(.fcm))
        #expect(!list.mayReach(.broadcast) && list.mayReach(.apns))
    }

    @Test func `two jobs to one channel collapse, and two channels do not`() throws {
        func name(_ channel: String) throws -> [UInt8]? {
            var job = try #require(decode(#"{"channel": "\#(channel)"}"#).job)
            job.delivery.collapseID = "score"
            return job.collapseName(devicesVersion: nil)
        }
        #expect(try name("derby-21") == name("derby-21") && name("derby-21") != nil)
        #expect(try name("derby-21") != name("derby-22"))
    }

    @Test(arguments: BroadcastChannel.Storage.allCases)
    func `where Apple stores nothing, the job asks for no storage`(storage: BroadcastChannel.Storage) throws {
        let job = try #require(decode(#"{"channel": "derby-21"}"#).job)
        let channel = BroadcastChannel(
            app: "news",
            name: "derby-21",
            id: "dHN0LXNyY2gtY2hubA==",
            environment: .sandbox,
            storage: storage,
            createdAt: JobFixtures.now
        )
        #expect(job.addressed(to: channel).delivery.policy.dropIfOffline == (storage == .nothing))
        #expect(job.addressed(to: nil) == job)
        #expect(BroadcastChannel.Storage(number: Int64(storage.number)) == storage)
        #expect(channel.device.provider == .broadcast && channel.device.environment == .sandbox)
    }
}
