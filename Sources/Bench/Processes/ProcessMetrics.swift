import Foundation

/// The kernel's figures about processes.
enum ProcessMetrics {
    /// Returns the CPU seconds of all threads of a process, ended ones included, to the nanosecond; nil after its end.
    static func cpuSeconds(of process: Int32) -> Double? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the CPU seconds of the calling thread.
    static func cpuSecondsOfThisThread() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the CPU seconds of all children of this process that have ended and were waited for.
    static func cpuSecondsOfEndedChildren() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// Returns the highest resident memory, in KiB (`VmHWM`, proc(5)).
    static func residentPeak(of process: Int32) -> Int? { kibibytes("VmHWM:", of: process) }

    /// Returns the current resident memory, in KiB (`VmRSS`).
    static func resident(of process: Int32) -> Int? { kibibytes("VmRSS:", of: process) }

    private static func kibibytes(_ name: String, of process: Int32) -> Int? {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count).filter(\.isNumber)) }
    }
}
