/// The style of a look in light or dark, at the person's text size.
///
///     let style = LookStyle(look, isDark: true, textSize: .accessibility2)
public struct LookStyle: Sendable, Hashable {
    /// The colours.
    public let palette: LookPalette
    /// True if the buttons are stacked.
    public let hasStackedButtons: Bool
    /// True if there is room for the app's icon beside the text.
    public let hasIcon: Bool
    /// The most lines of the title; nil for no limit.
    public let titleLinesMax: Int?
    /// The most lines of the text; nil for no limit.
    public let textLinesMax: Int?
    /// True if content that does not fit scrolls.
    public let isScrolled: Bool
    /// The share of the screen's height that the image may take.
    public let imageShare: Double

    /// The longest label, in characters, that fits beside another one.
    static let shortLabel = 14

    /// Creates the style of a look.
    ///
    ///     let style = LookStyle(look, isDark: false, textSize: .large)
    public init(_ look: Look, isDark: Bool, textSize: TextSize) {
        palette = isDark ? .dark : .light
        let longest = look.buttons.map(\.label.count).max() ?? 0
        hasStackedButtons = look.buttons.count > 2 || textSize.isAccessibility || longest > Self.shortLabel
        let isStrip = if case .slideup = look.frame { true } else { false }
        // At accessibility sizes the words need the room.
        hasIcon = look.hasIcon && !textSize.isAccessibility
        titleLinesMax = isStrip ? (textSize.isAccessibility ? 3 : 1) : nil
        textLinesMax = isStrip ? (textSize.isAccessibility ? 6 : 3) : nil
        // A strip must not intercept the scrolling of the view around it.
        isScrolled = !isStrip && look.html == nil && !look.isImageOnly
        imageShare = look.isImageOnly ? 1 : isStrip || textSize.isAccessibility ? 0.15 : 0.35
    }
}

/// The person's text size, in the system's steps.
public enum TextSize: Int, Sendable, Hashable, CaseIterable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    /// True for the accessibility sizes.
    public var isAccessibility: Bool { rawValue >= Self.accessibility1.rawValue }
}
