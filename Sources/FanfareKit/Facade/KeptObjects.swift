#if canImport(UserNotifications)
/// Objects that the system references weakly, so that the kit has to keep them alive.
@MainActor final class KeptObjects {
    /// The delegate of the notification centre.
    var delegate: AnyObject?

    nonisolated init() {}
}
#endif
