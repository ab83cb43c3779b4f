public import Campaigns

/// A piece of a payload.
public enum PayloadSegment: Equatable, Sendable {
    /// The same bytes for every device.
    case constant([UInt8])
    /// The device's message id (contract, section 5); at most one.
    case messageID
    /// The text that a template renders for the device.
    case template(String, TemplatePlaceholder.Form)

    /// The bytes of the piece; blank or empty where devices differ.
    var bytes: [UInt8] {
        switch self {
        case .constant(let bytes): bytes
        case .messageID: MessageIDPlaceholder.blank
        case .template: []
        }
    }

    /// The bytes of a counted badge with the longest count; 0 for everything else.
    var countedBytesMax: Int {
        guard case .template(BadgeStep.template, let form) = self, form.isCount else { return 0 }
        return form.memberBytes + String(BadgeStep.countMax).utf8.count
    }
}
