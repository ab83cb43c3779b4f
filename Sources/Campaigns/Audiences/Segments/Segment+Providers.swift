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
