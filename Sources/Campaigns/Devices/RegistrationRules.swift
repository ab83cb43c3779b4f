/// The limits of the registry, with the texts of refusals.
public enum RegistrationRules {
    static let user = "a user key has 1 to 256 bytes"
    static let tag = "a tag has 1 to 128 bytes"
    static let tags = "tags are at most 60 words of up to 128 bytes, with a semicolon between"
    static let attribute = "attributes are at most 200 with names of up to 128 bytes, 4096 bytes in all"

    /// Returns true if a text may be a user's key.
    public static func isUser(_ text: String) -> Bool {
        (1...DeviceRegistration.userBytesMax).contains(text.utf8.count) && isPlain(text)
    }

    /// Returns true if a text may be a tag.
    public static func isTag(_ text: String) -> Bool {
        (1...DeviceTraits.tagBytesMax).contains(text.utf8.count) && isPlain(text)
    }

    /// Returns true if a text is an app version that can be compared.
    public static func isAppVersion(_ text: String) -> Bool {
        text.utf8.count <= DeviceTraits.appVersionBytesMax && VersionOrder.isVersion(text.utf8)
    }

    /// Returns true if a device may have these attributes.
    public static func areAttributes(_ attributes: [String: AttributeValue]) -> Bool {
        guard attributes.count <= DeviceTraits.attributesMax else { return false }
        var size = 0
        for (name, value) in attributes {
            guard (1...DeviceTraits.attributeNameBytesMax).contains(name.utf8.count), isPlain(name) else {
                return false
            }
            size += name.utf8.count + value.text.utf8.count
        }
        return size <= DeviceTraits.attributesBytesMax
    }

    /// Returns true if all of a device's traits are within the limits.
    public static func allows(_ traits: DeviceTraits) -> Bool {
        traits.tags.count <= DeviceTraits.tagsMax && traits.tags.allSatisfy(isTag) && areAttributes(traits.attributes)
    }

    /// Returns the tags of a CSV cell; nil if there are too many or one is not valid.
    static func tags(cell text: String) -> [String]? {
        let words = text.split(separator: ";").map { $0.drop { $0 == " " } }.map { word in
            String(word.reversed().drop { $0 == " " }.reversed())
        }
        guard words.count <= DeviceTraits.tagsMax, words.allSatisfy(isTag) else { return nil }
        return words
    }

    /// Returns true if a text has no control characters, because keys and tags are printed and compared.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
