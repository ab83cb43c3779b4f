// Linux compiles this file only against stubs, so it stays thin: Extensions makes the decisions.
#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
public import UserNotifications

/// A notification service extension that shows a push's media and tracks that it was received.
///
/// An app's extension subclasses it and names the folder that it shares with the app:
///
///     final class NotificationService: FanfareNotificationService {
///         override var part: PushExtension { PushExtension(folder: groupFolder) }
///     }
open class FanfareNotificationService: UNNotificationServiceExtension {
    private let lock = NSLock()
    private var task: Task<Void, Never>?
    private var request: UNNotificationRequest?
    private var handler: ((UNNotificationContent) -> Void)?

    /// The folder and limits of the extension.
    open var part: PushExtension { PushExtension(folder: FanfareOptions().folder) }

    /// Handles a push that the system hands over before it shows the push.
    open override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        (handler, self.request) = (contentHandler, request)
        let part = part
        // Safety: the request does not change, and the lock decides which caller shows first.
        nonisolated(unsafe) let this = self
        task = Task {
            guard let plain = this.request?.content else { return }
            let content = plain.mutableCopy() as? UNMutableNotificationContent
            if case .success(let file)? = await part.received(plain.userInfo),
                let attachment = try? UNNotificationAttachment(identifier: "media", url: file)
            {
                content?.attachments = [attachment]
            }
            this.show(content ?? plain)
        }
    }

    /// Shows what there is so far, because the time is over.
    open override func serviceExtensionTimeWillExpire() {
        task?.cancel()
        if let request { show(request.content) }
    }

    private func show(_ content: UNNotificationContent) {
        let handler = lock.withLock {
            defer { self.handler = nil }
            return self.handler
        }
        handler?(content)
    }
}
#endif
