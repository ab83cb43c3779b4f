import Campaigns
import PushProviders
package import Store

/// Every device of a campaign with its outcome, as text: page by page, so that a million devices take no more memory
/// than ten thousand.
package struct OutcomeExport: Sendable {
    /// The form of the text.
    package enum Format: String, Sendable, CaseIterable {
        /// A record a line, under a line of headings (RFC 4180).
        case csv
        /// An object a line.
        case ndjson
    }

    /// The words by which devices can be chosen: the outcomes, and `pending`.
    package static let outcomes = Outcome.allCases.map(\.name) + ["pending"]

    private let format: Format
    private let outcome: String?
    private let reason: String?
    private let campaign: UInt32
    /// The chunk with which the next page begins; nil before the first page.
    private var chunk: UInt32?

    /// Creates an export of all devices of a campaign, or of those with an outcome or a reason.
    package init(_ format: Format, campaign: UInt32, outcome: String? = nil, reason: String? = nil) {
        self.format = format
        self.campaign = campaign
        self.outcome = outcome
        self.reason = reason
    }

    /// Returns the text of the next page, which may be empty; nil after the last.
    package mutating func next(in ledger: Ledger) async throws(LedgerError) -> String? {
        let page = try await ledger.devices(campaign: campaign, from: chunk ?? 0)
        var text = chunk == nil && format == .csv ? "token,provider,id,outcome,requests,reason\n" : ""
        chunk = page?.next ?? chunk ?? 0
        guard let page else { return text.isEmpty ? nil : text }
        for device in page.devices {
            let outcome = device.outcome?.name ?? "pending"
            guard self.outcome == nil || self.outcome == outcome, reason == nil || reason == device.reason else {
                continue
            }
            text += format == .ndjson ? Self.object(device, outcome) : Self.record(device, outcome)
        }
        return text
    }

    private static func object(_ device: DeviceResult, _ outcome: String) -> String {
        JSONValue.object([
            "token": .string(Self.token(device)), "provider": .string(device.provider.rawValue),
            "id": device.id.map(JSONValue.string) ?? .null, "outcome": .string(outcome),
            "requests": .number(JSONNumber(device.requests)),
            "reason": device.reason.map(JSONValue.string) ?? .null,
        ]).text + "\n"
    }

    private static func record(_ device: DeviceResult, _ outcome: String) -> String {
        let fields = [
            Self.token(device), device.provider.rawValue, device.id ?? "", outcome, String(device.requests),
            device.reason ?? "",
        ]
        return fields.map(quoted).joined(separator: ",") + "\n"
    }

    private static func token(_ device: DeviceResult) -> String {
        ProviderRegistry.tokens.text(of: Array(device.token), provider: device.provider)
    }

    /// Returns a field quoted as RFC 4180 requires.
    private static func quoted(_ field: String) -> String {
        guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
