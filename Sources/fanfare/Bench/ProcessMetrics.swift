import Foundation

/// What the kernel knows about a process.
enum ProcessMetrics {
    /// Seconds of CPU of all of its threads, ended ones included, to the nanosecond; nil when it is gone.
    static func cpuSeconds(of process: Int32) -> Double? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds of CPU of the thread that asks.
    static func cpuSecondsOfThisThread() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds of CPU of all children of this process that have ended and were waited for.
    static func cpuSecondsOfEndedChildren() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The most memory that was resident, in KiB (`VmHWM`, proc(5)).
    static func residentPeak(of process: Int32) -> Int? { kibibytes("VmHWM:", of: process) }

    /// The memory that is resident now, in KiB (`VmRSS`).
    static func resident(of process: Int32) -> Int? { kibibytes("VmRSS:", of: process) }

    private static func kibibytes(_ name: String, of process: Int32) -> Int? {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count).filter(\.isNumber)) }
    }
}
