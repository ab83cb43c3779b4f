/// Which of several languages a device gets (RFC 4647, section 3.4: lookup).
public enum LocaleFallback {
    /// The index of the nearest language of a device: `pt-BR` finds `pt-BR`, then `pt`; nil is the standard content.
    ///
    /// Upper and lower case count as the same.
    public static func index(of locale: String?, among languages: [String]) -> Int? {
        guard let locale, !languages.isEmpty else { return nil }
        var parts = locale.lowercased().split(separator: "-")[...]
        let folded = languages.map { $0.lowercased() }
        while !parts.isEmpty {
            if let index = folded.firstIndex(of: parts.joined(separator: "-")) { return index }
            parts.removeLast()
            // A single letter only begins what came behind it.
            if parts.count > 1, parts.last?.count == 1 { parts.removeLast() }
        }
        return nil
    }
}
