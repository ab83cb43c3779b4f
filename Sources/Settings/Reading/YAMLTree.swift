import Foundation
import Yams

/// A YAML document with the line of every value, for the location of a problem.
struct YAMLTree {
    /// The value.
    let value: Value
    /// 1-based.
    let line: Int

    /// A scalar as it was written, whatever type YAML would infer; `~` and an empty value are null.
    indirect enum Value {
        case null
        case text(String)
        case sequence([YAMLTree])
        case mapping([Entry])
    }

    /// A pair of a mapping.
    struct Entry {
        let key: String
        let value: YAMLTree
        let line: Int
    }

    /// The text of a scalar; nil for everything else.
    var text: String? {
        if case .text(let text) = value { text } else { nil }
    }

    /// Reads a document; an empty one is an empty mapping.
    static func read(_ text: String, location: String) throws(ConfigurationError) -> YAMLTree {
        do {
            guard let node = try Yams.compose(yaml: text) else { return YAMLTree(value: .mapping([]), line: 1) }
            return YAMLTree(node)
        } catch {
            throw ConfigurationError([problem(error, location: location)])
        }
    }

    private init(value: Value, line: Int) {
        self.value = value
        self.line = line
    }

    private init(_ node: Node) {
        line = node.mark?.line ?? 0
        switch node {
        case .scalar(let scalar):
            let isNull = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            value = isNull ? .null : .text(scalar.string)
        case .sequence(let nodes): value = .sequence(nodes.map { YAMLTree($0) })
        case .mapping(let pairs):
            value = .mapping(
                pairs.map { key, value in
                    Entry(key: key.scalar?.string ?? "?", value: YAMLTree(value), line: key.mark?.line ?? 0)
                }
            )
        case .alias: value = .null
        }
    }

    private static func problem(_ error: any Error, location: String) -> ConfigurationProblem {
        func at(_ mark: Mark?, _ detail: String) -> ConfigurationProblem {
            ConfigurationProblem(
                location: mark.map { "\(location):\($0.line)" } ?? location,
                key: "",
                code: "invalid_yaml",
                detail: detail
            )
        }
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            return at(mark, "not valid YAML: \(problem)")
        case YamlError.duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.joined(separator: ", ")
            return at(context.mark, "the key \(names) stands there twice")
        default: return at(nil, "not valid YAML")
        }
    }
}
