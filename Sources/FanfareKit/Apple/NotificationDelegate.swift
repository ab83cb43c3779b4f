// Apple's systems only: thin, because nothing here is tested on Linux. What is decided is decided in Push and Phone.
#if canImport(UserNotifications)
public import UserNotifications

/// Hands what the notification centre says to the kit.
///
/// The kit sets one when the centre has no delegate. An app with a delegate of its own forwards both calls, or
/// subclasses this one and calls `super`:
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

    open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        await fanfare.displayed(notification.request.content.userInfo)
        #if os(macOS) || os(iOS) || os(tvOS) || os(watchOS)
        return [.banner, .list, .sound, .badge]
        #else
        return [.sound, .badge]
        #endif
    }

    #if !os(tvOS)
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
    #endif
}

/// What the system holds weakly and the kit has to keep.
@MainActor final class KeptObjects {
    var delegate: FanfareNotificationDelegate?
}
#endif
