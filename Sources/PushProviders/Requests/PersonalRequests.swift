public import Campaigns

/// The parts of requests that differ between devices in a campaign with templates.
public struct PersonalRequests: Sendable {
    /// The body; nil when its templates do not compile, which only an unchecked message can cause.
    public let body: TemplateProgram?
    /// The largest body in bytes.
    public let bodyBytesMax: Int
    /// The collapse id; nil when all devices have the same one.
    public let collapseID: TemplateProgram?
    /// The longest collapse id in bytes.
    public let collapseIDBytesMax: Int
    /// The header that carries the collapse id; nil when the body carries it.
    public let collapseHeader: [UInt8]?

    /// Compiles the templates of a shard.
    init(_ facts: Shard.Facts, bodyBytesMax: Int, collapseHeader: String?, collapseIDBytesMax: Int) {
        let personal = facts.personal
        var body = try? TemplateProgram(
            payload: facts.payload,
            placeholders: personal.placeholders,
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

    /// Returns true if a rendered collapse id is a valid header value: no control character, no space at its ends (RFC
    /// 9113, 8.2.1).
    public static func isHeaderValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first != 0x20 && bytes.last != 0x20 && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
