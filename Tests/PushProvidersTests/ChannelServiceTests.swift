import Campaigns
import PushProviders
import Testing

/// Apple's management of channels: the requests, and what the answers mean.
struct ChannelServiceTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    private func service(_ more: [String: String] = [:]) throws -> ChannelService {
        try #require(try ProviderSpecimen.broadcast.account(more).channels)
    }

    @Test func `each environment has its own host and port, and a gateway plays both`() throws {
        let apple = try service()
        #expect(apple.endpoint(.production).description == "api-manage-broadcast.push.apple.com:2196")
        #expect(apple.endpoint(.sandbox).description == "api-manage-broadcast.sandbox.push.apple.com:2195")
        #expect(apple.environment == .production)
        let gateway = try service(["endpoint": "https://localhost:8443", "environment": "sandbox"])
        #expect(gateway.endpoint(.production).description == "localhost:8443")
        #expect(gateway.endpoint(.sandbox).description == "localhost:8443" && gateway.environment == .sandbox)
    }

    @Test(arguments: [
        (
            ChannelService.Order.create(.nothing), "POST", "channels",
            #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        ),
        (.create(.latest), "POST", "channels", #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#),
        (.read(id: channel), "GET", "channels", ""), (.delete(id: channel), "DELETE", "channels", ""),
        (.list, "GET", "all-channels", ""),
    ])
    func `an order is the request of Apple's page`(
        order: ChannelService.Order,
        method: String,
        last: String,
        body: String
    ) throws {
        let request = try service().request(order, authorization: Array("bearer x".utf8))
        #expect(request.method == method && request.path == "/1/apps/com.example.news/\(last)")
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let isAboutOne = order == .read(id: Self.channel) || order == .delete(id: Self.channel)
        #expect(request.fields.contains(RequestHeader("apns-channel-id", Self.channel)) == isAboutOne)
        #expect(request.fields.last == RequestHeader("authorization", .constant(Array("bearer x".utf8)), .never))
    }

    private func answer(
        _ order: ChannelService.Order,
        _ status: Int,
        id: String = "",
        _ body: String = ""
    ) -> ChannelAnswer {
        ChannelAnswer(to: order, status: status, channelID: Array(id.utf8), body: Array(body.utf8))
    }

    @Test func `a success says what was asked, and one that does not is no success`() {
        #expect(answer(.create(.latest), 201, id: Self.channel) == .created(id: Self.channel))
        #expect(answer(.create(.latest), 201) == .unreadable(status: 201))
        #expect(answer(.create(.latest), 201, id: "not\r\nBase64") == .unreadable(status: 201))
        let policy = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
        #expect(answer(.read(id: Self.channel), 200, policy) == .found(.latest))
        #expect(answer(.read(id: Self.channel), 200, #"{"message-storage-policy":7}"#) == .unreadable(status: 200))
        #expect(answer(.delete(id: Self.channel), 204) == .deleted)
        #expect(answer(.list, 200, #"{"channels":["\#(Self.channel)"]}"#) == .listed([Self.channel]))
        #expect(answer(.list, 200, "[") == .unreadable(status: 200))
    }

    @Test func `a refusal is told apart: no such channel, Apple's limit, the credential, and the rest`() {
        func reason(_ word: String) -> String { #"{"reason":"\#(word)"}"# }
        let delete = ChannelService.Order.delete(id: Self.channel)
        #expect(answer(delete, 400, reason("ChannelNotRegistered")) == .unknownChannel)
        #expect(answer(delete, 404, reason("BadPath")) == .unknownChannel)
        #expect(answer(.list, 404, reason("BadPath")) == .refused(status: 404, reason: "BadPath"))
        #expect(answer(.create(.nothing), 400, reason("CannotCreateChannelConfig")) == .limitReached)
        #expect(answer(.list, 403, reason("ExpiredProviderToken")) == .expiredCredential)
        #expect(answer(.list, 400, reason("FeatureNotEnabled")) == .refused(status: 400, reason: "FeatureNotEnabled"))
        #expect(answer(.list, 503, "") == .refused(status: 503, reason: "Status503"))
    }
}
