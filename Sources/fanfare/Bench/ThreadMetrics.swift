import Foundation

/// The CPU of a worker's threads by what they do, in seconds.
struct ThreadMetrics: Sendable, Equatable {
    /// The kinds of threads; their names are in `/proc/PID/task/TID/comm`.
    enum Group: CaseIterable, Sendable {
        /// NIO's event loops: requests, answers, AMQP, desks.
        case loops
        /// The ledger's writer.
        case ledger
        /// All others: Swift's own, on which planner, intake and readers of the ledger run.
        case tasks
    }

    private var seconds: [Group: Double] = [:]

    init() {}

    /// Adds a thread with the text of its `comm` and of its `schedstat` (proc(5)): nanoseconds on a core come first.
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

    /// Those of a process that lives; a thread that ends takes its figures with it, so that `tasks` is what is left of
    /// the process's own total.
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
