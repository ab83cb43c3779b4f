/// The selection of a localization for a device (RFC 4647, section 3.4: lookup).
public enum LocaleFallback {
    /// Returns the index of a locale's nearest language: `pt-BR` finds `pt-BR`, then `pt`; nil is the standard content.
    ///
    /// The comparison ignores case.
    public static func index(of locale: String?, among languages: [String]) -> Int? {
        guard let locale, !languages.isEmpty else { return nil }
        var parts = locale.lowercased().split(separator: "-")[...]
        let folded = languages.map { $0.lowercased() }
        while !parts.isEmpty {
            if let index = folded.firstIndex(of: parts.joined(separator: "-")) { return index }
            parts.removeLast()
            // A single letter only introduces the subtags after it.
            if parts.count > 1, parts.last?.count == 1 { parts.removeLast() }
        }
        return nil
    }
}
