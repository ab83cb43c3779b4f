import Delivery
import Logging
import NIOCore
package import Operations
import PushProviders
package import Settings
import Store

/// Reloading: changes of files that a worker applies while it runs.
extension Worker {
    /// Reads configuration, apps file and key files again (HUP, or an order), applies hot settings and apps, and has
    /// the result reported to the ledger.
    ///
    /// New requests carry the new credential on new connections; open streams end on the old ones. The path of the
    /// apps file is the one at the start. An unusable file changes nothing: no setting if the configuration has a
    /// mistake, no app if the apps file has one. The log says which. One call at a time.
    package func reload(_ sources: ConfigurationSources, threshold: LogThreshold) async {
        guard let manager else { return await readAgain(sources, threshold) }
        await manager.reloading { await readAgain(sources, threshold) }
    }

    private func readAgain(_ sources: ConfigurationSources, _ threshold: LogThreshold) async {
        // Before the files are read: an order that comes from now on may be about what this reading misses.
        let order = context.reloads.answerable
        let (needRestart, refused) = readConfiguration(sources, threshold)
        var answer = await readApps(order)
        answer.needRestart = needRestart
        answer.refuse(refused)
        context.reloads.answer(answer)
    }

    /// Returns the changed settings that need a restart, and the mistakes.
    private func readConfiguration(
        _ sources: ConfigurationSources,
        _ threshold: LogThreshold
    ) -> (needRestart: [String], refused: [ReloadAnswer.Refusal]) {
        do throws(ConfigurationError) {
            return (take(try sources.load(), threshold), [])
        } catch {
            context.logger.error(
                "the configuration cannot be taken over; all settings stay as they are",
                metadata: ["problem": "\(error.problems.map(\.line).joined(separator: "; "))"]
            )
            return ([], error.problems.map(\.refusal))
        }
    }

    /// Returns the answer to an order, as far as the apps are concerned.
    private func readApps(_ order: Int64) async -> ReloadAnswer {
        let file = context.configuration.appsFile
        do throws(ConfigurationError) {
            let reading = try context.apps.compare(
                try AppsFile.read(path: file, webhookHosts: context.configuration.webhookHosts)
            )
            await take(reading, from: file)
            return reading.answer(to: order, at: context.ledger.now())
        } catch {
            context.logger.error(
                "the apps file cannot be taken over; all apps stay as they are",
                metadata: ["problem": "\(error.problems.map(\.line).joined(separator: "; "))"]
            )
            var answer = ReloadAnswer(to: order, at: context.ledger.now(), unchanged: context.apps.names.count)
            answer.refuse(error.problems.map(\.refusal))
            return answer
        }
    }

    /// Returns the changed settings that need a restart.
    private func take(_ configuration: Configuration, _ threshold: LogThreshold) -> [String] {
        let reading = settings.take(configuration)
        // A change of the level is logged by whichever level, old or new, allows it.
        threshold.level = min(threshold.level, configuration.log.level)
        defer { threshold.level = configuration.log.level }
        let unflushed = Self.unflushedMax(configuration, loops: senders.count)
        for sender in senders { sender.execute { $0.limitUnflushed(to: unflushed) } }
        for change in reading.taken {
            context.logger.notice(
                "a setting is replaced",
                metadata: ["key": "\(change.key)", "old": "\(change.old)", "new": "\(change.new)"]
            )
        }
        for key in reading.needRestart {
            context.logger.warning("a setting has changed that only a restart takes", metadata: ["key": "\(key)"])
        }
        return reading.needRestart
    }

    /// Each loop's share of `worker.unflushed`.
    static func unflushedMax(_ configuration: Configuration, loops: Int) -> Int {
        max(1, configuration.worker.unflushed / loops)
    }

    /// Puts a reading into use, and returns when it is.
    private func take(_ reading: AppDirectory.Reading, from file: String) async {
        guard !reading.isSame else {
            // Only the entries' versions are others.
            context.apps.use(reading)
            return context.logger.notice("no known app has changed", metadata: ["file": "\(file)"])
        }
        // On the coordinator's loop: whatever it passed to a loop with an old account was passed before.
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            loop.execute { [context, senders] in
                context.apps.use(reading)
                for sender in senders { sender.execute { $0.take(reading) } }
                // Told after the swap, so that the log never tells of a snapshot that is not in use yet.
                Self.tell(reading, context.logger)
                waiter.resume()
            }
        }
    }

    private static func tell(_ reading: AppDirectory.Reading, _ logger: Logger) {
        for (app, part) in reading.changes { logger.notice("\(part.notice)", metadata: ["app": "\(app)"]) }
        for new in reading.replacements.map(\.new) {
            tell(new, "an app's credentials and settings are replaced", logger)
        }
        for new in reading.added { tell(new, "an app's account is new, and is sent for from now on", logger) }
        for old in reading.gone { tell(old, "an app's account is gone, and is sent for no more", logger) }
    }

    private static func tell(_ account: LoadedAccount, _ notice: Logger.Message, _ logger: Logger) {
        guard !account.isCompanion else { return }
        let credential = account.account.credential.summary
        logger.notice(notice, metadata: ["app": "\(account.app)", "credential": "\(credential)"])
    }
}

extension ConfigurationProblem {
    /// The problem as a part of an answer to a reload order.
    fileprivate var refusal: ReloadAnswer.Refusal {
        ReloadAnswer.Refusal(key: key, reason: location.isEmpty ? detail : "\(location): \(detail)", fix: fix)
    }
}

extension AppSetting.Part {
    /// The log's words for a change.
    fileprivate var notice: String {
        switch self {
        case .pace: "an app's rate is replaced"
        case .cap: "an app's frequency cap is replaced"
        case .askedEvents: "an app asks for other events"
        case .webhooks: "an app's webhooks are replaced"
        case .rules: "an app's categories, variables or names are replaced"
        case .timeZone: "an app's time zone is replaced"
        }
    }
}
