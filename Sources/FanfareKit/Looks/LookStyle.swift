/// How a look is drawn in light or dark, at the person's size of text.
///
///     let style = LookStyle(look, isDark: true, textSize: .accessibility2)
public struct LookStyle: Sendable, Hashable {
    /// The colours.
    public let palette: LookPalette
    /// True when the buttons stand below each other.
    public let hasStackedButtons: Bool
    /// True when the app's icon has room beside the text.
    public let hasIcon: Bool
    /// Lines of the title; nil: as many as it takes.
    public let titleLinesMax: Int?
    /// Lines of the text; nil: as many as it takes.
    public let textLinesMax: Int?
    /// True when content without room is scrolled to.
    public let isScrolled: Bool
    /// The share of the screen's height that the image may take.
    public let imageShare: Double

    /// Characters of a label that still has room beside another one.
    static let shortLabel = 14

    /// The style of a look.
    ///
    ///     let style = LookStyle(look, isDark: false, textSize: .large)
    public init(_ look: Look, isDark: Bool, textSize: TextSize) {
        palette = isDark ? .dark : .light
        let longest = look.buttons.map(\.label.count).max() ?? 0
        hasStackedButtons = look.buttons.count > 2 || textSize.isAccessibility || longest > Self.shortLabel
        let isStrip = if case .slideup = look.frame { true } else { false }
        // At the large sizes the words need the room.
        hasIcon = look.hasIcon && !textSize.isAccessibility
        titleLinesMax = isStrip ? (textSize.isAccessibility ? 3 : 1) : nil
        textLinesMax = isStrip ? (textSize.isAccessibility ? 6 : 3) : nil
        // A strip in the app's own view or over it must not swallow its scrolling.
        isScrolled = !isStrip && look.html == nil && !look.isImageOnly
        imageShare = look.isImageOnly ? 1 : isStrip || textSize.isAccessibility ? 0.15 : 0.35
    }
}

/// The person's size of text, as the system has it.
public enum TextSize: Int, Sendable, Hashable, CaseIterable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    /// True for the sizes for people who see little.
    public var isAccessibility: Bool { rawValue >= Self.accessibility1.rawValue }
}
