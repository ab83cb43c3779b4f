import Delivery
import NIOCore

extension MonotonicInstant {
    /// Converts a deadline to the pure tier's instant.
    init(of deadline: NIODeadline) {
        self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds))
    }
}
