public import Foundation

extension Look {
    /// Creates the look of an in-app message: a strip, a card, a page, an image alone, or HTML.
    ///
    /// `place` returns the location of an asset that was fetched in advance. A tap acts when there is no button. The
    /// first button stands out. The cross leaves the message, and so does a swipe on a strip.
    ///
    ///     let look = Look(message, language: "es", place: fanfare.asset)
    public init(_ message: InAppMessage, language: String, place: (URL) -> URL?) {
        let frame: Frame =
            switch message.layout {
            case .slideup: .slideup(.overlay(message.position))
            case .modal: .modal
            case .full, .html: .full
            }
        self.init(.message, message.id, frame)
        if message.layout == .html {
            html = message.message
            folder = message.assets.lazy.compactMap(place).first { $0.hasDirectoryPath || $0.pathExtension.isEmpty }
        } else {
            image = message.image.map { place($0) ?? $0 }
            isImageOnly = message.isImageOnly
            title = isImageOnly ? nil : message.header?.nonBlank
            text = isImageOnly ? nil : message.message?.nonBlank
        }
        buttons = message.buttons.prefix(Self.messageButtonsMax).enumerated().map { index, button in
            Button(id: button.id, label: button.label, step: .action(button.id), weight: index == 0 ? .first : .plain)
        }
        // Two ways to act on one message would be counted as two actions.
        tap = buttons.isEmpty && html == nil ? .action(nil) : nil
        cross = .exit
        isSwipedAway = message.layout == .slideup
        read(in: language)
    }

    /// The number of buttons that fit on a message.
    static let messageButtonsMax = 2
}

extension String {
    /// The text; nil when it is only whitespace.
    var nonBlank: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
