/// The direction in which a text is read.
public enum TextDirection: String, Sendable, Hashable, CaseIterable {
    case leftToRight, rightToLeft

    /// Takes the direction of the first letter; without a letter, that of the language.
    ///
    /// A campaign may be in another language than the phone's.
    ///
    ///     TextDirection(of: ["שלום"], language: "en") == .rightToLeft
    public init(of texts: [String?], language: String) {
        let letters = texts.lazy.compactMap(\.self).flatMap(\.unicodeScalars).filter(\.properties.isAlphabetic)
        if let letter = letters.first {
            self = Self.isRightToLeft(letter) ? .rightToLeft : .leftToRight
        } else {
            self = Self.isRightToLeft(language: language) ? .rightToLeft : .leftToRight
        }
    }

    /// The Unicode blocks of right-to-left letters: from Hebrew to Arabic Extended-A, and the forms of both.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    private static let languages: Set<String> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]

    private static let scripts: Set<String> = ["adlm", "arab", "hebr", "nkoo", "syrc", "thaa"]

    private static func isRightToLeft(_ letter: Unicode.Scalar) -> Bool {
        blocks.contains { $0.contains(letter.value) }
    }

    /// An explicit script, as in `az-Arab`, overrides the language.
    private static func isRightToLeft(language: String) -> Bool {
        let parts = language.lowercased().split { $0 == "-" || $0 == "_" || $0 == "@" }.map(String.init)
        if let script = parts.dropFirst().first(where: { $0.count == 4 && $0.allSatisfy(\.isLetter) }) {
            return scripts.contains(script)
        }
        return parts.first.map(languages.contains) ?? false
    }
}
