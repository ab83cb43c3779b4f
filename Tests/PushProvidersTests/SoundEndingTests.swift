import Campaigns
import Testing

@testable import PushProviders

/// Messages about sounds that a system does not play.
struct SoundEndingTests {
    private func warned(_ provider: any PushProvider, _ name: String?, in language: String? = nil) -> [String] {
        let job = Fixtures.job {
            let sound = name.map { Sound(name: $0) }
            guard let language else {
                $0.content.sound = sound
                return
            }
            var other = Localization(locale: language, content: Content())
            other.content.sound = sound
            $0.content.localizations = [other]
        }
        let check = provider.check(job, carriesMessageID: false)
        #expect(check.problems == [])
        return check.warnings.map(\.pointer)
    }

    @Test(arguments: [
        ("goal.caf", true, false), ("goal.AIFF", true, false), ("goal.wav", true, true), ("goal.mp3", false, true),
        ("goal.ogg", false, true), ("goal.wma", false, false), ("goal", true, true), ("default", true, true),
        ("goal.v2.wav", true, true), ("goal.", false, false),
    ])
    func `a sound with an ending that a system does not play is taken with a warning`(
        _ name: String,
        _ isApples: Bool,
        _ isAndroids: Bool
    ) {
        #expect(warned(APNsProvider(), name) == (isApples ? [] : ["/content/sound"]))
        #expect(warned(FCMProvider(), name) == (isAndroids ? [] : ["/content/sound"]))
        #expect(warned(WebPushProvider(), name) == [], "browsers play none")
    }

    @Test func `the sound of another language is looked at too, at its own place`() {
        #expect(warned(APNsProvider(), "gol.mp3", in: "es") == ["/content/localizations/es/sound"])
        #expect(warned(APNsProvider(), nil) == [])
    }
}
