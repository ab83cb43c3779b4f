import Foundation

/// The CPU of a worker's threads by kind, in seconds.
struct ThreadMetrics: Sendable, Equatable {
    /// The kinds of threads; their names are in `/proc/PID/task/TID/comm`.
    enum Group: CaseIterable, Sendable {
        /// NIO's event loops: requests, answers, AMQP, coordinators.
        case loops
        /// The ledger's writer.
        case ledger
        /// All others: Swift's own threads, which run planner, intake and readers of the ledger.
        case tasks
    }

    private var seconds: [Group: Double] = [:]

    init() {}

    /// Adds a thread by the texts of its `comm` and `schedstat` (proc(5)), which begins with the nanoseconds on a core.
    mutating func add(name: String, schedstat: String) {
        guard let nanoseconds = schedstat.split(separator: " ").first.flatMap({ Double($0) }) else { return }
        seconds[Self.group(of: name), default: 0] += nanoseconds / 1e9
    }

    static func group(of name: String) -> Group {
        if name.hasPrefix("NIO-ELT") { return .loops }
        return name.hasPrefix("ledger") ? .ledger : .tasks
    }

    subscript(_ group: Group) -> Double {
        get { seconds[group] ?? 0 }
        set { seconds[group] = newValue }
    }

    static func + (left: ThreadMetrics, right: ThreadMetrics) -> ThreadMetrics {
        var sum = left
        for group in Group.allCases { sum[group] += right[group] }
        return sum
    }

    static func - (left: ThreadMetrics, right: ThreadMetrics) -> ThreadMetrics {
        var difference = left
        for group in Group.allCases { difference[group] -= right[group] }
        return difference
    }

    /// Reads the threads of a live process.
    ///
    /// A thread's figures vanish with it, so `tasks` is the remainder of the process' total.
    init(of process: Int32) {
        let folder = "/proc/\(process)/task"
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8),
                let schedstat = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
            else { continue }
            add(name: name, schedstat: schedstat)
        }
        if let total = ProcessMetrics.cpuSeconds(of: process) {
            self[.tasks] = max(0, total - self[.loops] - self[.ledger])
        }
    }
}
