import SwiftProtobuf

extension PersonalContent {
    /// The bytes that the ledger keeps and a shard carries; none for none, and the same content gives the same bytes.
    public func encoded() throws(ShardError) -> [UInt8] {
        guard !isEmpty else { return [] }
        var message = Fanfare_V1_PersonalContent()
        message.slots = slots.map { slot in
            var encoded = Fanfare_V1_TemplateSlot()
            encoded.at = slot.at
            encoded.form = slot.form.rawValue
            encoded.source = slot.source
            return encoded
        }
        message.collapseTemplate = collapseID
        return try ShardError.unwrap { try message.serializedBytes() as [UInt8] }
    }

    /// Reads what `encoded` wrote; whether the templates compile is left to whoever renders them.
    public init(encoded bytes: [UInt8]) throws(ShardError) {
        self.init()
        guard !bytes.isEmpty else { return }
        let message = try ShardError.unwrap { try Fanfare_V1_PersonalContent(serializedBytes: bytes) }
        for slot in message.slots {
            guard let form = TemplateSlot.Form(rawValue: slot.form) else {
                throw .malformed("a template of form \(slot.form), which this worker does not know")
            }
            slots.append(TemplateSlot(at: slot.at, form: form, source: slot.source))
        }
        collapseID = message.collapseTemplate
    }
}
