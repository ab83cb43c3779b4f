// Linux compiles this file against stubs only; it is thin: what is decided is decided in Push and Phone.
#if canImport(UserNotifications) && !os(tvOS)
public import Foundation
public import UserNotifications

/// Hands what the notification centre says to the kit.
///
/// The kit sets one when the centre has no delegate. An app with a delegate of its own forwards both calls to
/// `fanfare.notificationDelegate`, or subclasses this one and calls `super`.
///
/// The calls with a handler, and not those that are `async`: the system expects the answer on the main thread, and the
/// latter give it on any.
open class FanfareNotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let fanfare: Fanfare

    /// A delegate for a kit.
    ///
    ///     let delegate = FanfareNotificationDelegate(fanfare)
    public init(_ fanfare: Fanfare) {
        self.fanfare = fanfare
    }

    /// A notification came while the app is in front: what of it is shown.
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

    /// A person did something with a notification.
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
