// Linux does not compile this file; it is thin: what is decided is decided in Push and Phone.
#if canImport(UserNotifications) && !os(tvOS)
public import Foundation
public import UserNotifications

/// Hands what the notification centre says to the kit.
///
/// The kit sets one when the centre has no delegate. An app with a delegate of its own forwards both calls to
/// `fanfare.notificationDelegate`, or subclasses this one and calls `super`:
///
///     func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse)
///         async { await fanfare.notificationDelegate.userNotificationCenter(center, didReceive: response) }
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
    ///     await fanfare.notificationDelegate.userNotificationCenter(center, willPresent: notification)
    open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        let shown = await fanfare.displayed(notification.request.content.userInfo)
        var options: UNNotificationPresentationOptions = []
        if shown.contains(.banner) { options.insert(.banner) }
        if shown.contains(.list) { options.insert(.list) }
        if shown.contains(.sound) { options.insert(.sound) }
        if shown.contains(.badge) { options.insert(.badge) }
        return options
    }

    /// A person did something with a notification.
    ///
    ///     await fanfare.notificationDelegate.userNotificationCenter(center, didReceive: response)
    open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async {
        let userInfo = response.notification.request.content.userInfo
        switch response.actionIdentifier {
        case UNNotificationDefaultActionIdentifier: await fanfare.opened(userInfo)
        case UNNotificationDismissActionIdentifier: await fanfare.dismissed(userInfo)
        case let action: await fanfare.opened(userInfo, action: action)
        }
    }
}
#endif
