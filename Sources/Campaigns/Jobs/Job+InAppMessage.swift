extension Job {
    /// Returns the in-app message for a device's locale; nil for a campaign of another kind.
    ///
    /// An entry of `content.localizations` gives the header (`title`), the message (`body`) and the image
    /// (`media_url`).
    public func inAppMessage(for locale: String?) -> InAppMessage? {
        guard var message = content.inApp else { return nil }
        let index = LocaleFallback.index(of: locale, among: content.localizations.map(\.locale))
        guard let index else { return message }
        let other = content.localizations[index].content
        if let header = other.title { message.header = header }
        if let text = other.body { message.message = text }
        if let image = other.mediaURL { message.imageURL = image }
        return message
    }
}
