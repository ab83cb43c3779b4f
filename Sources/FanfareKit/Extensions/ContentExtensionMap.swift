/// Which layout of a notification content extension is for which category.
///
/// The system starts an extension for the categories that its `Info.plist` lists; within it this picks the layout.
///
///     let layouts = ContentExtensionMap(["TICKET": .ticket, "SCORE": .score], otherwise: .plain)
///     show(layouts.layout(userInfo, category: notification.request.content.categoryIdentifier))
public struct ContentExtensionMap<Layout> {
    private let layouts: [String: Layout]
    private let otherwise: Layout?
    private let payloadNames: [String: String]

    /// Layouts by category, and the one for all others; `payloadNames` are those of `FanfareOptions`.
    ///
    ///     ContentExtensionMap(["TICKET": TicketView.init], otherwise: PlainView.init)
    public init(_ layouts: [String: Layout], otherwise: Layout? = nil, payloadNames: [String: String] = [:]) {
        self.layouts = layouts
        self.otherwise = otherwise
        self.payloadNames = payloadNames
    }

    /// The layout for a notification, by the push's category for layout when it has one, or else by that of its buttons;
    /// nil when nothing was said for it, or when the push is not ours.
    ///
    ///     layouts.layout(userInfo, category: content.categoryIdentifier)
    public func layout(_ userInfo: [AnyHashable: Any], category: String) -> Layout? {
        guard let push = PushMessage(userInfo, names: payloadNames) else { return nil }
        return layouts[push.layout ?? category] ?? otherwise
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
