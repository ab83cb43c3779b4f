/// Draws what the app has no presenter and no notifier for.
///
/// On iOS the kit sets one of its own. Another one takes its place:
///
///     fanfare.presenters.drawer = TerminalDrawer()
@MainActor public protocol LookDrawer: AnyObject {
    /// Draws a look and returns true, and calls `end` once when the person is done with it; false: it cannot be drawn.
    func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool
    /// Takes a look from the screen of which nothing need be said any more.
    func hide(_ look: Look)
}
