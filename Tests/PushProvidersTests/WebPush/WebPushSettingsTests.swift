import Campaigns
import PushProviders
import Testing

@Suite struct WebPushSettingsTests {
    private static let block = [
        "subject": "mailto:push@example.com",
        "public_key": "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs",
        "private_key_file": "news.vapid",
    ]

    @Test func `the block is read, and endpoints are global unless somebody says otherwise`() throws {
        let settings = try WebPushSettings(Self.block)
        #expect(settings.subject == "mailto:push@example.com")
        #expect(settings.privateKeyFile == "news.vapid")
        #expect(!settings.allowsPrivateAddresses)
        #expect(settings.caFile == nil)
        let own = try WebPushSettings(
            Self.block.merging([
                "addresses": "any", "ca_file": "ca.pem", "subject": "https://example.com/push",
                "site": "https://news.example.com/",
            ]) { $1 }
        )
        #expect(own.allowsPrivateAddresses)
        #expect(own.caFile == "ca.pem" && own.site == "https://news.example.com/")
    }

    @Test(arguments: [
        ("subject", "push@example.com"), ("subject", "mailto:"), ("subject", "mailto:push"), ("subject", "https://"),
        ("subject", "http://example.com"), ("subject", "mailto:a@b\nc"), ("subject", ""), ("public_key", "BA1H"),
        ("public_key", "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"),
        ("public_key", ""), ("private_key_file", ""), ("addresses", "all"), ("topic", "x"),
        ("site", "news.example.com"),
        ("site", "http://news.example.com"), ("site", "https://a b"),
    ])
    func `what is wrong is named with its place and a fix`(key: String, value: String) throws {
        let refusal = #expect(throws: SettingsRefused.self) {
            try WebPushSettings(Self.block.merging([key: value]) { $1 })
        }
        #expect(refusal?.problems.map(\.pointer) == ["/\(key)"])
        #expect(refusal?.problems.first?.fix?.isEmpty == false)
    }

    @Test func `all problems are told at once`() {
        let refusal = #expect(throws: SettingsRefused.self) { try WebPushSettings([:]) }
        #expect(refusal?.problems.map(\.pointer) == ["/subject", "/public_key", "/private_key_file"])
    }
}
