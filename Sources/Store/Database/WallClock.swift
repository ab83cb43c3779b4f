public import Campaigns
import Delivery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// This host's wall clock: for a person's calendar, for what a producer says of itself, and as one of the facts from
/// which a ledger knows the shared time (`Ledger.now`).
public enum WallClock {
    /// Now, in whole milliseconds.
    public static func now() -> WallInstant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallInstant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The clock that nobody sets: it goes on while the host sleeps, and begins anew with each boot.
enum MonotonicClock {
    /// Now.
    static func now() -> MonotonicInstant {
        var time = timespec()
        #if canImport(Glibc)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The run of the kernel that its instants are of; all processes of the host read the same.
    ///
    /// Empty where none is told.
    static let boot: String = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count].filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }()
}
