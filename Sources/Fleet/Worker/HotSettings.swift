import Settings
import Synchronization

/// The settings that a running worker applies again on SIGHUP ("hot" in the catalogue), with their present values.
///
/// May be used from any thread.
final class HotSettings: Sendable {
    /// The changes in a new reading of the configuration.
    struct Reading: Equatable, Sendable {
        /// The hot settings that have changed, with the new value, in the catalogue's order.
        var taken: [Change] = []
        /// The settings that differ from those at the start and need a restart.
        var needRestart: [String] = []
    }

    /// A setting with its values for people.
    struct Change: Equatable, Sendable {
        let key: String
        let old: String
        let new: String
    }

    private struct InUse {
        var drain: Duration
        /// The values by key, without passwords, so that they may be logged.
        var texts: [String: String]
    }

    private let inUse: Mutex<InUse>
    private let started: [String: String?]

    /// Creates the settings of a worker that starts.
    init(_ configuration: Configuration) {
        started = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key.name, $0.text) })
        inUse = Mutex(InUse(drain: configuration.worker.drain, texts: Self.texts(configuration)))
    }

    /// The present value of `worker.drain`.
    var drain: Duration { inUse.withLock(\.drain) }

    /// Applies the hot settings of a new reading and returns the changes.
    func take(_ configuration: Configuration) -> Reading {
        let texts = Self.texts(configuration)
        var reading = Reading()
        for setting in configuration.settings where !setting.key.isHot && started[setting.key.name] != setting.text {
            reading.needRestart.append(setting.key.name)
        }
        inUse.withLock { inUse in
            for setting in configuration.settings where setting.key.isHot {
                let name = setting.key.name
                guard let old = inUse.texts[name], let new = texts[name], old != new else { continue }
                reading.taken.append(Change(key: name, old: old, new: new))
            }
            inUse = InUse(drain: configuration.worker.drain, texts: texts)
        }
        return reading
    }

    private static func texts(_ configuration: Configuration) -> [String: String] {
        let hot = configuration.settings.filter(\.key.isHot)
        return Dictionary(uniqueKeysWithValues: hot.map { ($0.key.name, $0.redactedText ?? "none") })
    }
}
