/// A rung's two waits; choosing one of them at random spreads a wave of retries.
public enum RungSide: String, Sendable, CaseIterable {
    /// Waits the rung's time.
    case a
    /// Waits a quarter longer; never less, because `Retry-After` is a lower bound.
    case b

    /// Returns the time that a shard waits on this side of a rung.
    public func delay(of rung: Rung) -> Duration {
        switch self {
        case .a: rung.delay
        case .b: rung.delay * 5 / 4
        }
    }
}
