/// A request that the push service has understood.
struct ObservedPush {
    let id: String
    let device: Int
    /// The number of its campaign; nil for a courier's.
    let campaign: Int?
    /// The host that opened the stream, and the instant at which it did.
    let worker: SimulatedHost
    let openedAt: Int64
}
