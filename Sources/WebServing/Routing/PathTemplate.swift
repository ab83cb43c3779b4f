/// A path with names for some segments: `/v1/campaigns/{app}/{id}:pause`.
///
/// Hummingbird's router is not used: ids may contain colons themselves, and roles, limits and the OpenAPI document come
/// from the same table of routes.
package struct PathTemplate: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    private enum Segment: Hashable {
        case literal(String)
        /// A value, with the text that has to follow it.
        case parameter(String, suffix: String)
    }

    package let description: String
    private let segments: [Segment]

    package init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { part in
            guard part.first == "{", let end = part.firstIndex(of: "}") else { return .literal(String(part)) }
            let name = part[part.index(after: part.startIndex)..<end]
            return .parameter(String(name), suffix: String(part[part.index(after: end)...]))
        }
    }

    /// The names of the parameters, in order.
    package var parameters: [String] {
        segments.compactMap { if case .parameter(let name, _) = $0 { name } else { nil } }
    }

    /// Returns the parameters' values in a path's decoded segments; nil for another path.
    package func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let word): guard text == word else { return nil }
            case .parameter(let name, let suffix):
                guard text.hasSuffix(suffix), text.utf8.count > suffix.utf8.count else { return nil }
                values[name] = String(text.dropLast(suffix.count))
            }
        }
        return values
    }
}
