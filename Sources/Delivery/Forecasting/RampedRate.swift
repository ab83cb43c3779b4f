/// A rate that grows from a part of itself to the whole in a straight line: a pace with its ramp, or connections that
/// are opened one after the other.
///
/// Numbers are real: a forecast is not exact, and gives nothing away.
public struct RampedRate: Sendable, Equatable {
    /// The whole rate in requests a second, more than 0.
    public let perSecond: Double
    /// The seconds in which a straight line from 0 reaches the whole rate; 0 for the whole rate at once.
    let rampUp: Double
    /// The smallest part of the rate, from 0 to 1: it holds until the line is above it.
    let floor: Double
    /// The seconds of the line that are over at the beginning.
    let passed: Double

    /// A rate; without a ramp it is whole at once.
    public init(perSecond: Double, rampUp: Double = 0, floor: Double = 1, passed: Double = 0) {
        self.perSecond = max(perSecond, .leastNormalMagnitude)
        self.rampUp = max(0, rampUp)
        self.floor = min(1, max(0.001, floor))
        self.passed = min(max(0, passed), self.rampUp)
    }

    /// The rate of a pace whose ramp begins with the first request.
    public init(_ pace: Pace) {
        let lowest = max(pace.perMinute / Pace.rampFloor, min(pace.perMinute, 60))
        self.init(
            perSecond: Double(pace.perMinute) / 60,
            rampUp: Double(pace.rampUp),
            floor: Double(lowest) / Double(pace.perMinute)
        )
    }

    /// The position on the line at which it rises above the floor.
    private var rises: Double { max(passed, floor * rampUp) }
    /// The requests before that.
    private var flat: Double { floor * perSecond * (rises - passed) }
    /// The requests before the rate is whole.
    private var ramp: Double { rampUp > 0 ? flat + perSecond * (rampUp * rampUp - rises * rises) / (2 * rampUp) : 0 }

    /// Returns the seconds that this many requests take.
    public func seconds(for requests: Double) -> Double {
        let requests = max(0, requests)
        guard requests < ramp else { return rampUp - passed + (requests - ramp) / perSecond }
        guard requests > flat else { return requests / (floor * perSecond) }
        return (rises * rises + 2 * rampUp * (requests - flat) / perSecond).squareRoot() - passed
    }
}
