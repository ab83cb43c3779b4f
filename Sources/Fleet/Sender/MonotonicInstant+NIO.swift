import Delivery
import NIOCore

extension MonotonicInstant {
    /// The same point for the pure tier.
    init(of deadline: NIODeadline) {
        self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds))
    }
}
