/// The colours of a look.
public struct LookPalette: Sendable, Hashable {
    /// The background.
    public let ground: Colour
    /// The texts.
    public let text: Colour
    /// The second line and the cross.
    public let quietText: Colour
    /// The background of the button that stands out.
    public let firstButton: Colour
    /// The label of the button that stands out.
    public let firstLabel: Colour
    /// The background of all other buttons.
    public let plainButton: Colour
    /// The labels of all other buttons.
    public let plainLabel: Colour
    /// The labels of buttons whose effect cannot be undone.
    public let destructiveLabel: Colour

    /// A colour in sRGB.
    public struct Colour: Sendable, Hashable {
        /// The components, from 0 to 255.
        public let red, green, blue: UInt8

        init(_ hex: UInt32) {
            (red, green, blue) = (UInt8(hex >> 16 & 255), UInt8(hex >> 8 & 255), UInt8(hex & 255))
        }
    }

    /// The background of a button.
    func button(_ weight: Look.Weight) -> Colour { weight == .first ? firstButton : plainButton }

    /// The colour of a button's label.
    func label(_ weight: Look.Weight) -> Colour {
        switch weight {
        case .first: firstLabel
        case .plain: plainLabel
        case .destructive: destructiveLabel
        }
    }

    /// The palette for a light screen.
    public static let light = LookPalette(
        ground: Colour(0xFFFFFF),
        text: Colour(0x1C1C1E),
        quietText: Colour(0x55555A),
        firstButton: Colour(0x0B57D0),
        firstLabel: Colour(0xFFFFFF),
        plainButton: Colour(0xE8E8ED),
        plainLabel: Colour(0x1C1C1E),
        destructiveLabel: Colour(0xA80F0F)
    )

    /// The palette for a dark screen.
    public static let dark = LookPalette(
        ground: Colour(0x1C1C1E),
        text: Colour(0xF2F2F7),
        quietText: Colour(0xAEAEB4),
        firstButton: Colour(0xA8C7FA),
        firstLabel: Colour(0x062E6F),
        plainButton: Colour(0x3A3A3C),
        plainLabel: Colour(0xF2F2F7),
        destructiveLabel: Colour(0xFFB4AB)
    )
}
