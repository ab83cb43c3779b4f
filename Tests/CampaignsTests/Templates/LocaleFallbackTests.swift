import Campaigns
import Testing

struct LocaleFallbackTests {
    @Test(
        arguments: [
            ("pt-BR", "pt-BR"), ("pt-PT", "pt"), ("pt", "pt"), ("PT-br", "pt-BR"), ("zh-Hant-TW", "zh-Hant"),
            ("zh-TW", nil), ("de-DE", nil), ("en-x-pirate", "en"), ("en-US-x-a-b", "en"), ("ptx", nil),
        ] as [(String, String?)]
    )
    func `a device gets the nearest language, and the standard content when there is none`(
        locale: String,
        language: String?
    ) {
        let languages = ["pt", "pt-BR", "zh-Hant", "en"]
        #expect(LocaleFallback.index(of: locale, among: languages).map { languages[$0] } == language)
    }

    @Test func `a device without a locale gets the standard content`() {
        #expect(LocaleFallback.index(of: nil, among: ["en"]) == nil)
        #expect(LocaleFallback.index(of: "en", among: []) == nil)
    }
}
