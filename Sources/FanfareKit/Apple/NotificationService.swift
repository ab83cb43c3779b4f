// Linux does not compile this file; it is thin: what is decided is decided in Extensions.
#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UserNotifications

/// A notification service extension that shows a push's media and tracks that it was received.
///
/// An app's extension subclasses it and says where the folder is that it shares with the app:
///
///     final class NotificationService: FanfareNotificationService {
///         override var part: PushExtension { PushExtension(folder: groupFolder) }
///     }
open class FanfareNotificationService: UNNotificationServiceExtension {
    private var task: Task<Void, Never>?
    private var handler: ((UNNotificationContent) -> Void)?
    private var best: UNNotificationContent?

    /// Folder and limits.
    open var part: PushExtension { PushExtension(folder: FanfareOptions().folder) }

    /// The system hands over a push before it shows it.
    open override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        (handler, best) = (contentHandler, request.content)
        let part = part
        // Safety: the system calls an instance from one thread at a time, and once for each push.
        nonisolated(unsafe) let this = self
        nonisolated(unsafe) let content = request.content.mutableCopy() as? UNMutableNotificationContent
        task = Task {
            if case .success(let file)? = await part.received(request.content.userInfo),
                let attachment = try? UNNotificationAttachment(identifier: "media", url: file)
            {
                content?.attachments = [attachment]
            }
            this.show(content ?? request.content)
        }
    }

    /// The time is over: what there is is shown.
    open override func serviceExtensionTimeWillExpire() {
        task?.cancel()
        if let best { show(best) }
    }

    private func show(_ content: UNNotificationContent) {
        let handler = handler
        self.handler = nil
        handler?(content)
    }
}
#endif
