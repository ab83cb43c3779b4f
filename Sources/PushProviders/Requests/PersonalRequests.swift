public import Campaigns

/// What differs from device to device in the requests of a campaign with templates.
public struct PersonalRequests: Sendable {
    /// The body; nil when its templates do not compile, which only a message can have that nobody checked.
    public let body: TemplateProgram?
    /// Bytes of a body at most.
    public let bodyBytesMax: Int
    /// The collapse id; nil when all devices have the same.
    public let collapseID: TemplateProgram?
    /// Bytes of a collapse id at most.
    public let collapseIDBytesMax: Int
    /// The header that carries it; nil when the body does.
    public let collapseHeader: [UInt8]?

    /// Compiles what a shard carries.
    init(_ facts: Shard.Facts, bodyBytesMax: Int, collapseHeader: String?, collapseIDBytesMax: Int) {
        let personal = facts.personal
        var body = try? TemplateProgram(
            payload: facts.payload,
            slots: personal.slots,
            messageIDAt: facts.messageIDAt
        )
        let collapseID = personal.collapseID.isEmpty ? nil : try? TemplateProgram(text: personal.collapseID)
        if collapseID == nil, !personal.collapseID.isEmpty { body = nil }
        self.body = body
        self.bodyBytesMax = bodyBytesMax
        self.collapseID = collapseID
        self.collapseIDBytesMax = collapseIDBytesMax
        self.collapseHeader = collapseHeader.map { Array($0.utf8) }
    }

    /// Whether a rendered collapse id can be a header's value: no control character, no space at its ends
    /// (RFC 9113, 8.2.1).
    public static func isHeaderValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first != 0x20 && bytes.last != 0x20 && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
