public import Campaigns

/// A worker's answer to a reload order: what it took over of its files, and what it refused.
///
/// A part of its report (`WorkerHealth`), so it goes with the worker's row. A reading that nobody ordered (SIGHUP, the
/// start) answers the newest order as well.
public struct ReloadAnswer: Sendable, Equatable {
    /// The number of refusals that are kept; a broken file has more than anybody reads.
    public static let refusalsMax = 16

    /// Something in the worker's files that cannot be used.
    public struct Refusal: Sendable, Equatable {
        /// The app; nil for a mistake that is not one app's.
        public var app: String?
        /// The key's path, such as `apps.news.apns.key_file`; empty for a whole file.
        public var key: String
        /// The reason with its place, without secrets.
        public var reason: String
        /// The action that ends it, as advice; nil if the reason says it.
        public var fix: String?

        /// A refusal; the app is that of a key below `apps`.
        public init(key: String, reason: String, fix: String?) {
            let path = key.split(separator: ".")
            app = path.count > 1 && path[0] == "apps" ? String(path[1]) : nil
            (self.key, self.reason, self.fix) = (key, reason, fix)
        }

        /// The refusal in one line.
        public var text: String { (key.isEmpty ? "" : "\(key): ") + reason + (fix.map { "; \($0)" } ?? "") }
    }

    /// The newest order that it answers; 0 if there was none.
    public var order: Int64
    /// The instant of the answer, on the shared time.
    public var at: Timestamp
    /// True for the reading at the worker's start, which took everything over.
    public var isStart: Bool
    /// The apps that are new to the worker, sorted.
    public var new: [String] = []
    /// The apps of which something has changed, sorted.
    public var changed: [String] = []
    /// The number of apps that are as they were.
    public var unchanged: Int
    /// The accounts that are gone from the file, such as `news (apns)`: nothing is sent for them any more.
    public var gone: [String] = []
    /// The settings that have changed and need a restart.
    public var needRestart: [String] = []
    /// The mistakes for which a file was refused: nothing of that file is taken over.
    public var refusals: [Refusal] = []

    /// An answer that took over apps which are as they were.
    public init(to order: Int64, at: Timestamp, unchanged: Int, isStart: Bool = false) {
        (self.order, self.at, self.unchanged, self.isStart) = (order, at, unchanged, isStart)
    }

    /// Adds mistakes, up to the number that is kept.
    public mutating func refuse(_ more: [Refusal]) {
        refusals += more.prefix(Self.refusalsMax - refusals.count)
    }

    /// The refusals in one line.
    public var refused: String { refusals.map(\.text).joined(separator: "; ") }

    /// The answer in one line, such as `new: shop; apps as before: 3`.
    ///
    /// Beside a refusal it has what was taken over of another file.
    public var text: String {
        if !refusals.isEmpty, new.isEmpty, changed.isEmpty { return refused }
        var parts = refusals.isEmpty ? [] : [refused]
        if isStart { parts.append("read at its start") }
        if !new.isEmpty { parts.append("new: \(new.joined(separator: ", "))") }
        if !changed.isEmpty { parts.append("changed: \(changed.joined(separator: ", "))") }
        parts.append("apps as before: \(unchanged)")
        if !gone.isEmpty { parts.append("gone: \(gone.joined(separator: ", "))") }
        if !needRestart.isEmpty { parts.append("only a restart takes: \(needRestart.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}
