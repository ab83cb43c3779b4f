import Campaigns

/// What is wrong with fields that every provider's block has.
enum SettingsProblems {
    /// Keys that a block does not have.
    static func unknown(_ block: [String: String], of name: String, keys: [String]) -> [Problem] {
        block.keys.sorted().filter { !keys.contains($0) }.map { key in
            Problem(
                pointer: JSONPointer.root.appending(key).text,
                code: .unknownField,
                detail: "\(name) has no setting \(key)",
                fix: Spelling.nearest(to: key, among: keys).map { "did you mean \($0)?" }
                    ?? "the settings are \(keys.joined(separator: ", "))"
            )
        }
    }

    /// A gateway of one's own; nil for the provider's hosts.
    static func endpoint(
        _ block: [String: String],
        of name: String,
        _ problems: inout [Problem]
    ) -> ProviderEndpoint? {
        guard let url = block["endpoint"] else {
            if block["ca_file"] != nil {
                problems.append(
                    Problem(
                        pointer: "/ca_file",
                        code: .conflict,
                        detail: "ca_file stands without an endpoint",
                        fix:
                            "ca_file is for a gateway of one's own; \(name)'s hosts are verified by the system's roots"
                    )
                )
            }
            return nil
        }
        if let endpoint = ProviderEndpoint(url: url) { return endpoint }
        problems.append(
            Problem(
                pointer: "/endpoint",
                code: .format,
                detail: "endpoint is not https://host or https://host:port",
                fix: "for example https://localhost:8443"
            )
        )
        return nil
    }
}
