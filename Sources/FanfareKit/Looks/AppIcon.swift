/// The app's icon, as named in its `Info.plist`.
enum AppIcon {
    /// The name of the largest file of the icon; nil when the app has none.
    static func name(_ info: [String: Any]) -> String? {
        let icons = info["CFBundleIcons"] as? [String: Any]
        let primary = icons?["CFBundlePrimaryIcon"] as? [String: Any]
        let files = primary?["CFBundleIconFiles"] as? [String] ?? info["CFBundleIconFiles"] as? [String]
        return files?.last
    }
}
