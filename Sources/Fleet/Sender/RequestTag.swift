import Delivery

/// A request's device, as its stream carries it: 32 bits of the run's number, 16 of a mark, 16 of the position.
struct RequestTag {
    private(set) var bits: UInt64

    init(runIndex: Int, position: Int) {
        bits = UInt64(UInt32(runIndex)) << 32 | UInt64(UInt16(position))
    }

    init(bits: UInt64) {
        self.bits = bits
    }

    var runIndex: Int { Int(bits >> 32) }
    var position: Int { Int(bits & 0xFFFF) }
    var device: EndpointFaults.Device { EndpointFaults.Device(runIndex: runIndex, position: position) }

    /// The mark of a request that is part of a sample (`EndpointFaults`); 0 otherwise.
    var mark: UInt16 {
        get { UInt16(truncatingIfNeeded: bits >> 16) }
        set { bits |= UInt64(newValue) << 16 }
    }
}
