import Campaigns
import FanfareKit

/// Draws notifications inside the app, in the terminal.
@MainActor final class PhoneNotifier: InAppNotifier {
    /// What it does with a notification.
    enum Habit: String, CaseIterable {
        /// There is none: the system shows it.
        case off
        case on
        case decline
        case fail
    }

    /// What a notifier of an app may throw.
    struct Failure: Error {}

    weak var session: PhoneSession?
    var habit = Habit.off
    /// The notification in front.
    private(set) var notification: InAppNotification?

    func show(_ notification: InAppNotification) throws -> Bool {
        if habit == .fail { throw Failure() }
        guard habit == .on else { return false }
        self.notification = notification
        session?.say(notification)
        return true
    }

    func hide(_ notification: InAppNotification) {
        self.notification = nil
        session?.say(
            PhoneLine("hidden", "the in-app notification is gone", ["campaign": .string(notification.push.campaign)])
        )
    }

    /// Ends the one in front; false when there is none.
    func end(_ how: (InAppNotification) -> Void) -> Bool {
        guard let notification else { return false }
        self.notification = nil
        how(notification)
        return true
    }
}
