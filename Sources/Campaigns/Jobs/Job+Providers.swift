extension Job {
    /// Returns true if the job may send to devices of a provider.
    ///
    /// A channel is reached by broadcasts alone, and by nothing else; only Apple has Live Activities. A job's segments
    /// may leave the provider out, and a native push reaches only devices of providers whose payload it brings. For an
    /// uploaded list the answer is always true: its devices need not be in the registry, which segments query.
    public func mayReach(_ provider: ProviderName) -> Bool {
        guard isBroadcast == (provider == .broadcast) else { return false }
        if isForActivities, provider != .apns { return false }
        guard audience.isOfRegistry else { return true }
        guard brings(for: provider) else { return false }
        if case .segment(let segment) = audience, !segment.mayMean(provider) { return false }
        if case .segment(let left) = exclude, left.meansAll(of: provider) { return false }
        return true
    }

    /// Returns true if the job has content for a provider: a native push needs a payload under the provider's name.
    public func brings(for provider: ProviderName) -> Bool {
        let block = provider == .broadcast ? ProviderName.apns.rawValue : provider.rawValue
        return kind != .native || content.rawBlocks.contains { $0.name == block && $0.value != nil }
    }

    /// True if the job is one request to a broadcast channel.
    public var isBroadcast: Bool {
        if case .channel = audience { true } else { false }
    }

    /// Returns warnings about providers whose registered devices a native push leaves out.
    public func leftOutWarnings(among providers: [ProviderName]) -> [Problem] {
        guard audience.isOfRegistry else { return [] }
        return providers.filter { $0 != .broadcast && !brings(for: $0) }.map { provider in
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
