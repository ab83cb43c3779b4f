import Campaigns
import Delivery

/// Conversions of a breaker's gate to one column of a campaign's row, and of a probe's key to a column of its own.
enum ProbeKey {
    /// The SQL of the gate.
    ///
    /// NULL: never opened; `+<since>`: closed; otherwise open, with the probe's key if there is one.
    static func gateColumn(_ provider: String) -> String {
        """
        (SELECT CASE b.is_open WHEN 1 THEN coalesce(b.probe, '') ELSE '+' || b.since END \
        FROM breakers b WHERE b.app = c.app AND b.provider = \(provider))
        """
    }

    static func gate(_ text: String?) -> Breaker.Gate {
        guard let text else { return .closed(since: nil) }
        if text.hasPrefix("+") { return .closed(since: Int64(text.dropFirst()).map { Timestamp(milliseconds: $0) }) }
        return .open(probe: key(text))
    }

    static func text(_ key: ShardKey) -> String {
        "\(key.campaign).\(key.part).\(key.ordinal).\(key.child)"
    }

    static func key(_ text: String) -> ShardKey? {
        let numbers = text.split(separator: ".").compactMap { UInt32($0) }
        guard numbers.count == 4 else { return nil }
        return ShardKey(campaign: numbers[0], part: numbers[1], ordinal: numbers[2], child: numbers[3])
    }
}
