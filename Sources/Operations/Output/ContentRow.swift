package import Campaigns
package import Store

/// A stored content, for people and for scripts.
package struct ContentRow: Sendable, Equatable {
    private let content: StoredContent

    /// Creates a row from the facts of a content; it never shows the content's bytes.
    package init(_ content: StoredContent) {
        self.content = content
    }

    /// One object of `content ls --json` and of the API.
    package var json: JSONValue {
        [
            "app": .string(content.app), "id": .string(content.id), "type": .string(content.type),
            "content_type": .string(content.contentType.rawValue), "bytes": .number(JSONNumber(content.byteCount)),
            "version": .string(content.version), "of_campaign": .bool(content.isOfCampaign),
            "at": .string(content.at.rfc3339),
        ]
    }

    /// Returns the table.
    package static func table(_ rows: [ContentRow]) -> String {
        var table = TextTable([
            ("app", .left), ("id", .left), ("type", .left), ("content type", .left), ("bytes", .right), ("from", .left),
            ("at", .left),
        ])
        for content in rows.map(\.content) {
            table.add([
                TerminalText.safe(content.app), TerminalText.safe(content.id), TerminalText.safe(content.type),
                content.contentType.rawValue, NumberText.grouped(content.byteCount),
                content.isOfCampaign ? "campaign" : "upload", content.at.rfc3339,
            ])
        }
        return table.text
    }
}
