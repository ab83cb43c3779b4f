extension Segment {
    /// Returns true if the expression does not rule out the provider's devices.
    ///
    /// Terms about anything but the provider may hold or not.
    public func mayMean(_ provider: ProviderName) -> Bool { root.holds(of: provider) != false }

    /// Returns true if every device of a provider matches, whatever its other traits.
    public func meansAll(of provider: ProviderName) -> Bool { root.holds(of: provider) == true }
}

extension SegmentNode {
    /// The expression's value, if the provider alone determines it; otherwise nil.
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
    /// Returns true if the job may send to devices of a provider.
    ///
    /// Its segments may leave the provider out, and a native push reaches only devices of providers whose payload it
    /// brings. For an uploaded list the answer is always true: its devices need not be in the registry, which segments
    /// query.
    public func mayReach(_ provider: ProviderName) -> Bool {
        guard audience.isOfRegistry else { return true }
        guard brings(for: provider) else { return false }
        if case .segment(let segment) = audience, !segment.mayMean(provider) { return false }
        if case .segment(let left) = exclude, left.meansAll(of: provider) { return false }
        return true
    }

    /// Returns true if the job has content for a provider: a native push needs a payload under the provider's name.
    public func brings(for provider: ProviderName) -> Bool {
        kind != .native || content.rawBlocks.contains { $0.name == provider.rawValue && $0.value != nil }
    }

    /// Returns warnings about providers whose registered devices a native push leaves out.
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
    /// The raw payloads by provider name.
    fileprivate var rawBlocks: [(name: String, value: JSONValue?)] { [("apns", apns), ("fcm", fcm)] }
}
