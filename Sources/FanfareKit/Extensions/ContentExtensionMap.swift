/// Which layout of a notification content extension is for which category.
///
/// The system starts an extension for the categories that its `Info.plist` lists; within it this picks the layout.
///
///     let layouts = ContentExtensionMap(["TICKET": .ticket, "SCORE": .score], otherwise: .plain)
///     show(layouts.layout(userInfo, category: notification.request.content.categoryIdentifier))
public struct ContentExtensionMap<Layout> {
    private let layouts: [String: Layout]
    private let otherwise: Layout?

    /// Layouts by category, and the one for all others.
    ///
    ///     ContentExtensionMap(["TICKET": TicketView.init], otherwise: PlainView.init)
    public init(_ layouts: [String: Layout], otherwise: Layout? = nil) {
        self.layouts = layouts
        self.otherwise = otherwise
    }

    /// The layout for a notification; nil when nothing was said for its category, or when the push is not ours.
    ///
    ///     layouts.layout(userInfo, category: content.categoryIdentifier)
    public func layout(_ userInfo: [AnyHashable: Any], category: String) -> Layout? {
        guard PushMessage.isOurs(userInfo) else { return nil }
        return layouts[category] ?? otherwise
    }

    /// Categories that have a layout but are not in the extension's `Info.plist`: it is never started for them.
    ///
    ///     assert(layouts.unlisted(in: Bundle.main.infoDictionary ?? [:]).isEmpty)
    public func unlisted(in info: [String: Any]) -> [String] {
        let attributes = (info["NSExtension"] as? [String: Any])?["NSExtensionAttributes"] as? [String: Any]
        let listed = attributes?["UNNotificationExtensionCategory"]
        // Apple takes one text, or an array of them.
        let names = Set((listed as? [String]) ?? (listed as? String).map { [$0] } ?? [])
        return layouts.keys.filter { !names.contains($0) }.sorted()
    }
}
