import Foundation

/// The cores that this process may run on.
enum AvailableCores {
    /// Returns at least 1.
    ///
    /// Restrictions by `taskset`, a cpuset or systemd count; `sysconf` does not see them.
    static func count() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return allowed(inStatus: status) ?? max(1, ProcessInfo.processInfo.activeProcessorCount)
    }

    /// Counts the bits of `Cpus_allowed: ff,ffffffff` (proc(5)).
    static func allowed(inStatus status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") }) else {
            return nil
        }
        let bits = line.dropFirst(13).reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
        return bits > 0 ? bits : nil
    }
}
