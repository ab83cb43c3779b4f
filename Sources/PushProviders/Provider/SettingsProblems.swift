import Campaigns

/// Checks of the fields that every provider's block has.
enum SettingsProblems {
    /// Returns a problem for each key that the block does not have.
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

    /// Reads the endpoint of a private gateway; nil for the provider's hosts.
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
                        detail: "there is a ca_file without an endpoint",
                        fix:
                            "ca_file is for a private gateway; \(name)'s hosts are verified by the system's roots"
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
