import SwiftProtobuf

extension PersonalContent {
    /// Returns the bytes that the ledger stores and a shard carries; empty for no content, and deterministic.
    public func encoded() throws(ShardError) -> [UInt8] {
        guard !isEmpty else { return [] }
        var message = Fanfare_V1_PersonalContent()
        message.slots = placeholders.map { placeholder in
            var encoded = Fanfare_V1_TemplateSlot()
            encoded.at = placeholder.at
            encoded.form = placeholder.form.rawValue
            encoded.source = placeholder.source
            return encoded
        }
        message.collapseTemplate = collapseID
        return try ShardError.unwrap { try message.serializedBytes() as [UInt8] }
    }

    /// Reads the output of `encoded`; does not check that the templates compile.
    public init(encoded bytes: [UInt8]) throws(ShardError) {
        self.init()
        guard !bytes.isEmpty else { return }
        let message = try ShardError.unwrap { try Fanfare_V1_PersonalContent(serializedBytes: bytes) }
        for slot in message.slots {
            guard let form = TemplatePlaceholder.Form(rawValue: slot.form) else {
                throw .malformed("a template of form \(slot.form), which this worker does not know")
            }
            placeholders.append(TemplatePlaceholder(at: slot.at, form: form, source: slot.source))
        }
        collapseID = message.collapseTemplate
    }
}
