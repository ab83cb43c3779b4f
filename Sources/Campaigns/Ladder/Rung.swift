/// A delay of the retry ladder (design, section 6); the raw value is stored in the ledger.
public enum Rung: UInt8, Sendable, CaseIterable, Comparable {
    /// Five seconds.
    case seconds5 = 0
    /// Thirty seconds.
    case seconds30 = 1
    /// Two minutes.
    case minutes2 = 2
    /// Ten minutes.
    case minutes10 = 3
    /// Thirty minutes.
    case minutes30 = 4
    /// Two hours.
    case hours2 = 5

    /// The name in queues, exchanges and shard ids: `5s`, `30s`, `2m`, `10m`, `30m`, `2h`.
    public var name: String {
        switch self {
        case .seconds5: "5s"
        case .seconds30: "30s"
        case .minutes2: "2m"
        case .minutes10: "10m"
        case .minutes30: "30m"
        case .hours2: "2h"
        }
    }

    /// The delay of the `.a` queue; that of `.b` is a quarter longer.
    ///
    /// It is never shorter, because `Retry-After` is a floor.
    public var delay: Duration {
        switch self {
        case .seconds5: .seconds(5)
        case .seconds30: .seconds(30)
        case .minutes2: .seconds(120)
        case .minutes10: .seconds(600)
        case .minutes30: .seconds(1800)
        case .hours2: .seconds(7200)
        }
    }

    /// Orders rungs by delay.
    public static func < (left: Rung, right: Rung) -> Bool {
        left.rawValue < right.rawValue
    }
}
