/// Draws everything for which the app has no presenter and no notifier.
///
/// On iOS the kit sets its own drawer, which an app can replace:
///
///     fanfare.presenters.drawer = TerminalDrawer()
@MainActor public protocol LookDrawer: AnyObject {
    /// Draws a look and returns true, then calls `end` once when the person is done with it; false when it cannot draw
    /// it.
    func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool
    /// Removes a look from the screen; nothing need be reported of it any more.
    func hide(_ look: Look)
}
