/// Devices without an outcome, each counted in its present place; no number is a difference of others.
public struct PendingDevices: Sendable, Equatable {
    /// Devices in chunks that are not cut yet.
    public var unplanned = 0
    /// Devices in first-attempt shards on their way to a worker.
    public var queued = 0
    /// Devices in shards that a worker runs, without an answer.
    public var sending = 0
    /// Devices that wait for another try.
    public var retrying = 0
    /// Devices in shards that were set aside.
    public var held = 0
    /// Devices in shards that are parked for a person.
    public var parked = 0

    /// Creates counts of 0.
    public init() {}

    /// The number of all pending devices.
    public var total: Int { unplanned + queued + sending + retrying + held + parked }

    /// The counts with the contract's names, in its order.
    public var named: [(name: String, devices: Int)] {
        [
            ("unplanned", unplanned), ("queued", queued), ("sending", sending), ("retrying", retrying), ("held", held),
            ("parked", parked),
        ]
    }
}
