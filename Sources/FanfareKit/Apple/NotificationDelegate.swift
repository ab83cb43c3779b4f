// Linux compiles this file only against stubs, so it stays thin: Push and Phone make the decisions.
#if canImport(UserNotifications) && !os(tvOS)
public import Foundation
public import UserNotifications

/// Hands the notification centre's calls to the kit.
///
/// The kit sets one when the centre has no delegate. An app with its own delegate forwards both calls to
/// `fanfare.notificationDelegate`, or subclasses this class and calls `super`.
///
/// It implements the calls with a completion handler, not the `async` ones: the system expects the answer on the main
/// thread, and the `async` ones give it on any thread.
open class FanfareNotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let fanfare: Fanfare

    /// Creates a delegate for a kit.
    ///
    ///     let delegate = FanfareNotificationDelegate(fanfare)
    public init(_ fanfare: Fanfare) {
        self.fanfare = fanfare
    }

    /// Handles a notification that arrived while the app is in front, and answers how to show it.
    ///
    ///     let delegate = fanfare.notificationDelegate
    ///     delegate.userNotificationCenter(center, willPresent: notification, withCompletionHandler: completionHandler)
    open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let push = fanfare.push(notification.request.content.userInfo)
        // Safety: called once, on the main thread.
        nonisolated(unsafe) let answer = completionHandler
        Task { @MainActor [fanfare] in
            let shown = await fanfare.displayed(push)
            var options: UNNotificationPresentationOptions = []
            if shown.contains(.banner) { options.insert(.banner) }
            if shown.contains(.list) { options.insert(.list) }
            if shown.contains(.sound) { options.insert(.sound) }
            if shown.contains(.badge) { options.insert(.badge) }
            answer(options)
        }
    }

    /// Handles a person's response to a notification.
    ///
    ///     let delegate = fanfare.notificationDelegate
    ///     delegate.userNotificationCenter(center, didReceive: response, withCompletionHandler: completionHandler)
    open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let push = fanfare.push(response.notification.request.content.userInfo)
        let what: PushResponse =
            switch response.actionIdentifier {
            case UNNotificationDefaultActionIdentifier: .opened
            case UNNotificationDismissActionIdentifier: .dismissed
            case let action: .action(action)
            }
        // Safety: called once, on the main thread.
        nonisolated(unsafe) let answer = completionHandler
        Task { @MainActor [fanfare] in
            await fanfare.responded(what, to: push)
            answer()
        }
    }
}
#endif
