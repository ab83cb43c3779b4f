import Foundation
import Testing

@testable import FanfareKit

/// Light and dark mode, large type, and the reading direction.
@Suite struct LookStyleTests {
    private func look(_ layout: InAppMessage.Layout, _ labels: [String] = []) -> Look {
        var message = InAppMessage(id: "m", header: "Derby", message: "Kick-off")
        message.layout = layout
        message.buttons = labels.map { InAppMessage.Button(id: $0, label: $0) }
        return Look(message, language: "en") { _ in nil }
    }

    /// Returns the contrast of WCAG 2.1, from 1 to 21.
    private func contrast(_ one: LookPalette.Colour, _ other: LookPalette.Colour) -> Double {
        func light(_ colour: LookPalette.Colour) -> Double {
            let parts = [colour.red, colour.green, colour.blue].map { part -> Double in
                let share = Double(part) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let (a, b) = (light(one), light(other))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    @Test(arguments: [LookPalette.light, .dark])
    func `every text can be read on what is behind it`(palette: LookPalette) {
        #expect(contrast(palette.text, palette.ground) >= 7)
        #expect(contrast(palette.quietText, palette.ground) >= 4.5)
        for weight in Look.Weight.allCases {
            #expect(contrast(palette.label(weight), palette.button(weight)) >= 4.5)
        }
        // A button is distinguishable from the background.
        #expect(contrast(palette.firstButton, palette.ground) >= 3)
    }

    @Test func `a dark screen has a dark ground`() {
        let (light, dark) = (LookPalette.light, LookPalette.dark)
        #expect(contrast(light.ground, LookPalette.Colour(0)) > 15 && contrast(dark.ground, LookPalette.Colour(0)) < 2)
        #expect(LookStyle(look(.modal), isDark: true, textSize: .large).palette == dark)
        #expect(LookStyle(look(.modal), isDark: false, textSize: .large).palette == light)
    }

    @Test func `two short buttons stand side by side, and below each other when one is long or the type large`() {
        func isStacked(_ labels: [String], _ size: TextSize) -> Bool {
            LookStyle(look(.modal, labels), isDark: false, textSize: size).hasStackedButtons
        }
        #expect(!isStacked(["Buy", "No"], .xxxLarge) && !isStacked(["Buy"], .xSmall))
        #expect(isStacked(["Buy", "No"], .accessibility1))
        #expect(isStacked(["Buy the season ticket", "No"], .large))
    }

    @Test func `a strip is short, gives the icon's room to large type, and a page is scrolled`() throws {
        let push = try push(["c": "c"], aps: ["alert": "x"])
        let strip = Look(InAppNotification(push, at: .overlay(.bottom)) { _ in }, categories: [], language: "en")
        let (usual, large) = (
            LookStyle(strip, isDark: false, textSize: .large),
            LookStyle(strip, isDark: false, textSize: .accessibility3)
        )
        #expect(usual.titleLinesMax == 1 && usual.textLinesMax == 3 && usual.hasIcon && !usual.isScrolled)
        #expect(large.titleLinesMax == 3 && large.textLinesMax == 6 && !large.hasIcon && !large.isScrolled)
        let page = LookStyle(look(.full), isDark: false, textSize: .accessibility5)
        #expect(page.isScrolled && page.titleLinesMax == nil && page.textLinesMax == nil)
        #expect(page.imageShare < LookStyle(look(.full), isDark: false, textSize: .large).imageShare)
    }

    @Test(
        arguments: [
            (["שלום"], "en", TextDirection.rightToLeft), (["Hi"], "ar", .leftToRight),
            (["12 مباراة"], "en", .rightToLeft),
            (["⚽️ 1:0"], "he-IL", .rightToLeft), ([""], "es", .leftToRight), ([nil, "ديربي"], "de", .rightToLeft),
            (["1-0"], "az-Arab-IR", .rightToLeft), (["1-0"], "ar-Latn", .leftToRight), (["1-0"], "fa_IR", .rightToLeft),
            (["1-0"], "", .leftToRight), (["𞤀𞤁"], "en", .rightToLeft), (["中文"], "ar", .leftToRight),
        ] as [([String?], String, TextDirection)]
    )
    func `a text is read the way of its first letter, and without one that of the language`(
        texts: [String?],
        language: String,
        direction: TextDirection
    ) {
        #expect(TextDirection(of: texts, language: language) == direction)
    }

    @Test func `labels are in the language of the phone, however its region or script is written`() {
        #expect(LookWords(language: "he").close == "סגירה" && LookWords(language: "iw_IL").close == "סגירה")
        #expect(LookWords(language: "zh-Hans-CN").send == "发送" && LookWords(language: "pt_BR").more == "Mais")
        #expect(LookWords(language: "").close == "Close" && LookWords(language: "tlh").close == "Close")
    }

    @Test func `the icon is the largest of the app's, also where only the old key is`() {
        let icons: [String: Any] = ["CFBundlePrimaryIcon": ["CFBundleIconFiles": ["Icon20", "Icon60"]]]
        #expect(AppIcon.name(["CFBundleIcons": icons]) == "Icon60")
        #expect(AppIcon.name(["CFBundleIconFiles": ["Old"]]) == "Old")
        #expect(AppIcon.name([:]) == nil && AppIcon.name(["CFBundleIcons": "x"]) == nil)
    }
}
