import Synchronization

/// The settings that a running worker takes anew on SIGHUP (the catalogue calls them hot), and what is in use of them.
///
/// May be used from any thread.
final class HotSettings: Sendable {
    /// What a new reading of the configuration comes to.
    struct Reading: Equatable, Sendable {
        /// Hot settings that are not what they were, with the new value; in the catalogue's order.
        var taken: [Change] = []
        /// Settings that differ from those that the worker was started with and that only a restart takes.
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
        /// By key, without passwords, so that they may be logged.
        var texts: [String: String]
    }

    private let inUse: Mutex<InUse>
    private let started: [String: String?]

    /// The settings of a worker that starts.
    init(_ configuration: Configuration) {
        started = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key.name, $0.text) })
        inUse = Mutex(InUse(drain: configuration.worker.drain, texts: Self.texts(configuration)))
    }

    /// `worker.drain` as it is now.
    var drain: Duration { inUse.withLock(\.drain) }

    /// Takes what is hot of a new reading and says what has changed.
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
