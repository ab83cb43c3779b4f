import Campaigns
import Delivery

/// A state, stage or reason that statements contain as a literal.
///
/// Its case is named in the Swift text, so that every statement is found when the cases change. A literal instead of a
/// placeholder lets a partial index apply.
protocol NamedInSQL: RawRepresentable {}

extension NamedInSQL where RawValue: BinaryInteger {
    /// The literal of this case.
    var sql: String { String(rawValue) }
}

extension NamedInSQL where RawValue == String {
    /// The literal of this case.
    var sql: String { "'\(rawValue)'" }
}

extension Sequence where Element: NamedInSQL, Element.RawValue: BinaryInteger {
    /// The literals of these cases, for `IN`.
    var sql: String { map(\.sql).joined(separator: ", ") }
}

extension Sequence where Element: NamedInSQL, Element.RawValue == String {
    /// The literals of these cases, for `IN`.
    var sql: String { map(\.sql).joined(separator: ", ") }
}

extension ShardState: NamedInSQL {}
extension CampaignStage: NamedInSQL {}
extension CampaignKind: NamedInSQL {}
extension AsideReason: NamedInSQL {}
extension Urgency: NamedInSQL {}
extension PushType: NamedInSQL {}
extension RefusalReason: NamedInSQL {}
