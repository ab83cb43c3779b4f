import Foundation
import ServiceLifecycle

/// Notices changed files, so that a revoked key ends without a signal.
package struct FilePoll: Service {
    private static let pause = Duration.seconds(2)

    private let files: @Sendable () -> [String]
    private let changed: @Sendable () async -> Void

    /// Calls `changed` after a change of one of `files`.
    package init(_ files: @escaping @Sendable () -> [String], changed: @escaping @Sendable () async -> Void) {
        self.files = files
        self.changed = changed
    }

    /// The attributes that tell a file from its predecessor.
    struct Mark: Equatable {
        var number: UInt64
        var size: UInt64
        var at: Date

        /// Nil when there is no file; of a link the file that it leads to, which is how Kubernetes replaces secrets.
        init?(_ path: String) {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            guard let found = try? FileManager.default.attributesOfItem(atPath: target) else { return nil }
            number = (found[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
            size = (found[.size] as? NSNumber)?.uint64Value ?? 0
            at = found[.modificationDate] as? Date ?? .distantPast
        }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = marks()
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                let now = marks()
                if now != last, !Task.isCancelled { await changed() }
                last = now
            }
        }
    }

    private func marks() -> [String: Mark?] {
        Dictionary(files().map { ($0, Mark($0)) }, uniquingKeysWith: { $1 })
    }
}
