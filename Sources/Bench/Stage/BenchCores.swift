import Campaigns
import Foundation
import Operations

/// The cores of the two ends of a measurement, so that neither takes time from the other.
package struct BenchCores: Sendable, Equatable {
    /// An end of a measurement.
    enum Side: Sendable {
        /// Fanfare or h2load, one at a time.
        case sender
        /// The server.
        case peer
    }

    /// The sender's core; nil when only one core is allowed, and everything shares it.
    let sender: Int?
    /// The server's cores.
    let peer: [Int]

    /// Gives the last of the allowed cores to the sender, the others to the server.
    init(allowed: [Int]) {
        sender = allowed.count > 1 ? allowed.last : nil
        peer = allowed.count > 1 ? Array(allowed.dropLast()) : []
    }

    /// Returns the cores that this process may use.
    package static func ofThisProcess() -> BenchCores {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return BenchCores(allowed: allowed(inStatus: status))
    }

    /// Returns the numbers in `Cpus_allowed_list: 0-3,8` (proc(5)).
    static func allowed(inStatus status: String) -> [Int] {
        let name = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return [] }
        let ranges = line.dropFirst(name.count).filter { !$0.isWhitespace }.split(separator: ",")
        return ranges.flatMap { range -> [Int] in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return Array(first...last)
        }
    }

    /// Returns a command line bound to its side's cores; taskset(1) executes the command in its own process.
    func command(_ arguments: [String], on side: Side) -> [String] {
        guard let sender, let taskset = BenchTools.path(of: "taskset") else { return arguments }
        let cores = side == .sender ? [sender] : peer
        return [taskset, "-c", cores.map(String.init).joined(separator: ",")] + arguments
    }

    /// The assignment, for people.
    package var text: String {
        guard let sender, BenchTools.path(of: "taskset") != nil else {
            return "sender and peer share their cores: the figures are rougher than on two cores"
        }
        return "sender on core \(sender), peer on \(peer.map(String.init).joined(separator: ","))"
    }
}

/// Programs of other packages that the bench needs.
enum BenchTools {
    /// Returns a program's path, found as the shell finds it.
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the path of h2load, the load generator that everything is compared with.
    static func h2load() throws -> String {
        guard let path = path(of: "h2load") else {
            throw CommandFailure(.failed, "h2load is not installed: apt-get install nghttp2-client")
        }
        return path
    }
}
