extension Segment {
    /// Whether a device of a provider may be meant, as far as the expression alone tells.
    ///
    /// What it asks besides the provider may hold or not, so this is true unless the provider rules the device out.
    public func mayMean(_ provider: ProviderName) -> Bool { root.holds(of: provider) != false }

    /// Whether every device of a provider is meant, whatever else it is.
    public func meansAll(of provider: ProviderName) -> Bool { root.holds(of: provider) == true }
}

extension SegmentNode {
    /// What follows from the provider; nil when it takes more to know.
    fileprivate func holds(of provider: ProviderName) -> Bool? {
        switch self {
        case .term(.group(.provider, let name)): return name == provider.rawValue
        case .term: return nil
        case .not(let inner): return inner.holds(of: provider).map { !$0 }
        case .all(let parts):
            let answers = parts.map { $0.holds(of: provider) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .any(let parts):
            let answers = parts.map { $0.holds(of: provider) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        }
    }
}

extension Job {
    /// Tells whether a device of a provider may be sent to, as far as the job says: its segments may leave it out, and a
    /// native push has something for devices of those providers only whose payload it brings.
    ///
    /// A list's devices need not be in the registry, which segments are asked of.
    public func mayReach(_ provider: ProviderName) -> Bool {
        guard audience.isOfRegistry else { return true }
        guard brings(for: provider) else { return false }
        if case .segment(let segment) = audience, !segment.mayMean(provider) { return false }
        if case .segment(let left) = exclude, left.meansAll(of: provider) { return false }
        return true
    }

    /// Says whether there is anything for devices of a provider: a native push is what was written under its name.
    public func brings(for provider: ProviderName) -> Bool {
        kind != .native || content.rawBlocks.contains { $0.name == provider.rawValue && $0.value != nil }
    }

    /// Warnings of providers whose devices a native push to the registry leaves out.
    public func leftOutWarnings(among providers: [ProviderName]) -> [Problem] {
        guard audience.isOfRegistry else { return [] }
        return providers.filter { !brings(for: $0) }.map { provider in
            Problem(
                pointer: "/content",
                code: .unusual,
                detail: "a native push has nothing for \(provider.rawValue): its devices are left out",
                fix: content.rawBlocks.contains { $0.name == provider.rawValue }
                    ? "give content.\(provider.rawValue) too" : nil
            )
        }
    }
}

extension Content {
    /// The raw fields by the names of the providers that they are for.
    fileprivate var rawBlocks: [(name: String, value: JSONValue?)] { [("apns", apns), ("fcm", fcm)] }
}
