public import Campaigns
import Delivery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// This host's wall clock: for a person's calendar, for a producer's own instants, and as one of the inputs from which
/// a ledger derives the shared time (`Ledger.now`).
public enum WallClock {
    /// Now, in whole milliseconds.
    public static func now() -> WallInstant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallInstant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The clock that nobody sets: it advances while the host sleeps and starts anew with each boot.
enum MonotonicClock {
    static func now() -> MonotonicInstant {
        var time = timespec()
        #if canImport(Glibc)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The id of the kernel's boot that the instants belong to; all processes of the host read the same one.
    ///
    /// Empty where the system has none.
    static let boot: String = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count].filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }()
}
