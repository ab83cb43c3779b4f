public import Foundation

extension Look {
    /// The look of an in-app message: a strip, a card, a page, an image alone, or HTML.
    ///
    /// `place` says where an asset is that was fetched ahead. A tap acts where there is no button; the first button stands
    /// out; the cross leaves it, and so does a swipe of a strip.
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
        // Two ways to act on one message would be counted as two things.
        tap = buttons.isEmpty && html == nil ? .action(nil) : nil
        cross = .exit
        isSwipedAway = message.layout == .slideup
        read(in: language)
    }

    /// Buttons of a message that have room.
    static let messageButtonsMax = 2
}

extension String {
    /// The text, when there is anything to see in it.
    var nonBlank: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
