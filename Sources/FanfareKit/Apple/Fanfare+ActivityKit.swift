// Linux compiles this file only against stubs, so it stays thin: ActivityFacts makes the decisions.
#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
public import ActivityKit
import Foundation
import UIKit

@available(iOS 16.2, *)
extension Fanfare {
    /// Hands over all that ActivityKit gives for a type of Live Activities: the token that starts one, the tokens of
    /// those that run, and their ends.
    ///
    ///     fanfare.follow(MatchAttributes.self) { $0.attributes.match }
    ///
    /// `id` names what an activity shows, the same on all devices: campaigns address those who follow it. Call it at
    /// each start, right after the kit's: the system starts the app in the background when a push has started an
    /// activity, and the kit then asks for the time to hand its token over.
    public func follow<Attributes: ActivityAttributes & Sendable>(
        _ type: Attributes.Type,
        id: @escaping @Sendable (Activity<Attributes>) -> String
    ) {
        let name = String(describing: type)
        let running = Activity<Attributes>.activities
        let ids = Set(running.map(id))
        changeActivities { $0.keep(type: name, running: ids) }
        for activity in running { take(activity, type: name, id: id(activity)) }
        Task {
            var known = Set(running.map(\.id))
            for await activity in Activity<Attributes>.activityUpdates where known.insert(activity.id).inserted {
                self.take(activity, type: name, id: id(activity))
            }
        }
        guard #available(iOS 17.2, *) else { return }
        if let token = Activity<Attributes>.pushToStartToken { setStartToken(token, type: name) }
        Task {
            for await token in Activity<Attributes>.pushToStartTokenUpdates {
                self.setStartToken(token, type: name)
                await self.finish()
            }
        }
    }

    /// Takes an activity's tokens until it is over.
    private func take<Attributes: ActivityAttributes & Sendable>(
        _ activity: Activity<Attributes>,
        type: String,
        id: String
    ) {
        if let token = activity.pushToken { setActivityToken(token, type: type, id: id) }
        Task {
            for await token in activity.pushTokenUpdates {
                self.setActivityToken(token, type: type, id: id)
                await self.finish()
            }
        }
        Task {
            for await state in activity.activityStateUpdates where state == .ended || state == .dismissed {
                self.activityEnded(type: type, id: id)
                await self.finish()
            }
        }
    }

    /// Asks for time in the background until the server has been told.
    @MainActor private func finish() async {
        let time = BackgroundTime()
        time.begin()
        await settled()
        time.end()
    }
}

/// The time that an app asks for in the background, given back when its work is done or the system wants it back.
@MainActor private final class BackgroundTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    func begin() {
        task = UIApplication.shared.beginBackgroundTask(withName: "FanfareKit.activity") { self.end() }
    }

    func end() {
        guard task != .invalid else { return }
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}
#endif
