/// Reads an app's `edge.web_origins` in `apps.yaml`: the sites whose pages may talk to the edge.
enum WebOrigins {
    private static let field = "web_origins"

    /// Returns the origins; notes a problem for each that no browser would send.
    static func read(_ edge: FieldReader) -> Set<String> {
        guard let entry = edge.entry(field) else { return [] }
        guard case .sequence(let elements) = entry.value.value else {
            let fix = "write it like [https://shop.example.com]"
            edge.problems.add(entry.line, edge.path(field), "wrong_type", "a list of origins is expected here", fix)
            return []
        }
        var origins: Set<String> = []
        for element in elements {
            let text = element.text ?? ""
            if isOrigin(text) {
                origins.insert(text)
                continue
            }
            edge.problems.add(
                element.line,
                edge.path(field),
                "invalid_value",
                "\(text) is no origin of a site that can have pushes",
                "write scheme, host and port as a browser does, such as https://shop.example.com: in lower case, "
                    + "without a path and without the port 443; http is for localhost alone"
            )
        }
        return origins
    }

    /// Returns true for an origin in the form in which browsers send it (RFC 6454, section 6.2), of a context in which
    /// they have service workers.
    static func isOrigin(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://") else { return false }
        let scheme = text[..<end.lowerBound]
        let parts = text[end.upperBound...].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isHost(host) else { return false }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1],
                port != (scheme == "https" ? 443 : 80)
            else { return false }
        }
        let isLocal = host == "localhost" || host == "127.0.0.1" || host.hasSuffix(".localhost")
        return scheme == "https" || (scheme == "http" && isLocal)
    }

    /// Returns true for labels of lower-case letters, digits and hyphens (RFC 1123, section 2.1).
    private static func isHost(_ text: Substring) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 0x2D }
            }
    }
}
