/// The layouts of a notification content extension, by category.
///
/// The system starts an extension for the categories that its `Info.plist` lists; inside it this map picks the layout.
///
///     let layouts = ContentExtensionMap(["TICKET": .ticket, "SCORE": .score], otherwise: .plain)
///     show(layouts.layout(userInfo, category: notification.request.content.categoryIdentifier))
public struct ContentExtensionMap<Layout> {
    private let layouts: [String: Layout]
    private let otherwise: Layout?
    private let payloadNames: [String: String]

    /// Creates a map of layouts by category, with one for all others; `payloadNames` are those of `FanfareOptions`.
    ///
    ///     ContentExtensionMap(["TICKET": TicketView.init], otherwise: PlainView.init)
    public init(_ layouts: [String: Layout], otherwise: Layout? = nil, payloadNames: [String: String] = [:]) {
        self.layouts = layouts
        self.otherwise = otherwise
        self.payloadNames = payloadNames
    }

    /// Returns the layout for a notification; nil when there is none, or when Fanfare did not send the push.
    ///
    /// The push's category for layout decides when it has one, otherwise the category of its buttons.
    ///
    ///     layouts.layout(userInfo, category: content.categoryIdentifier)
    public func layout(_ userInfo: [AnyHashable: Any], category: String) -> Layout? {
        guard let push = PushMessage(userInfo, names: payloadNames) else { return nil }
        return layouts[push.layout ?? category] ?? otherwise
    }

    /// The categories that have a layout but are missing in the extension's `Info.plist`, so that it is never started
    /// for them.
    ///
    ///     assert(layouts.unlisted(in: Bundle.main.infoDictionary ?? [:]).isEmpty)
    public func unlisted(in info: [String: Any]) -> [String] {
        let attributes = (info["NSExtension"] as? [String: Any])?["NSExtensionAttributes"] as? [String: Any]
        let listed = attributes?["UNNotificationExtensionCategory"]
        // Apple accepts one text or an array of texts.
        let names = Set((listed as? [String]) ?? (listed as? String).map { [$0] } ?? [])
        return layouts.keys.filter { !names.contains($0) }.sorted()
    }
}
