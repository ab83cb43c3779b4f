/// The link of a button.
public struct ActionLink: Sendable, Equatable {
    /// The button's id in the app's category.
    public var id: String
    /// The address; may be a template.
    public var url: String

    /// Creates a link.
    public init(id: String, url: String) {
        self.id = id
        self.url = url
    }
}

/// Content in another language; a field that is nil has the standard content's value.
public struct Localization: Sendable, Equatable {
    /// The BCP 47 tag.
    public var locale: String
    /// The texts with their keys and arguments, `url`, `mediaURL` and `sound`; the rest is empty.
    public var content: Content

    /// Creates a localization.
    public init(locale: String, content: Content) {
        self.locale = locale
        self.content = content
    }

    /// The limit of localizations in a job.
    static let countMax = 200
}

extension Content {
    /// Returns the content in a localization; nil is the standard content.
    public func localized(_ index: Int?) -> Content {
        guard let index else { return self }
        let other = localizations[index].content
        var content = self
        content.localizations = []
        if let title = other.title { content.title = title }
        if let subtitle = other.subtitle { content.subtitle = subtitle }
        if let body = other.body { content.body = body }
        if let key = other.titleLocKey { content.titleLocKey = key }
        if !other.titleLocArgs.isEmpty { content.titleLocArgs = other.titleLocArgs }
        if let key = other.subtitleLocKey { content.subtitleLocKey = key }
        if !other.subtitleLocArgs.isEmpty { content.subtitleLocArgs = other.subtitleLocArgs }
        if let key = other.locKey { content.locKey = key }
        if !other.locArgs.isEmpty { content.locArgs = other.locArgs }
        if let url = other.url { content.url = url }
        if let mediaURL = other.mediaURL { content.mediaURL = mediaURL }
        if let sound = other.sound { content.sound = sound }
        return content
    }

    /// Returns every text in which the contract allows templates, with its pointer.
    public func personalTexts(at pointer: JSONPointer) -> [(location: JSONPointer, text: String)] {
        var found: [(location: JSONPointer, text: String)] = []
        func add(_ name: String, _ text: String?) {
            if let text { found.append((pointer.appending(name), text)) }
        }
        func add(_ name: String, _ texts: [String]) {
            for (index, text) in texts.enumerated() { found.append((pointer.appending(name).appending(index), text)) }
        }
        func add(_ value: JSONValue, at location: JSONPointer) {
            switch value {
            case .string(let text): found.append((location, text))
            case .array(let elements):
                for (index, element) in elements.enumerated() { add(element, at: location.appending(index)) }
            case .object(let members):
                for member in members { add(member.value, at: location.appending(member.name)) }
            case .null, .bool, .number: break
            }
        }
        add("title", title)
        add("subtitle", subtitle)
        add("body", body)
        add("title_loc_args", titleLocArgs)
        add("subtitle_loc_args", subtitleLocArgs)
        add("loc_args", locArgs)
        add("url", url)
        add("media_url", mediaURL)
        add("badge", badgeTemplate)
        add("thread_id", threadID)
        for (index, action) in actions.enumerated() {
            found.append((pointer.appending("actions").appending(index).appending("url"), action.url))
        }
        for member in data { add(member.value, at: pointer.appending("data").appending(member.name)) }
        for localization in localizations {
            let location = pointer.appending("localizations").appending(localization.locale)
            found += localization.content.personalTexts(at: location)
        }
        return found
    }
}

extension Job {
    /// Returns the job with its content in a localization; nil is the standard content.
    public func localized(_ index: Int?) -> Job {
        var job = self
        job.content = content.localized(index)
        return job
    }
}
