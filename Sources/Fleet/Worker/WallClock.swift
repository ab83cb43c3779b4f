public import Campaigns
import Glibc

/// The system's wall clock.
///
/// The pure tier gets its instants from here.
public enum WallClock {
    /// Now, in whole milliseconds.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
