extension ProblemDocument {
    /// Reads the output of ``json``, for example a refusal stored in the ledger; nil for anything else.
    public init?(json: JSONValue) {
        let prefix = "urn:fanfare:problem:"
        guard let type = json["type"]?.string, type.hasPrefix(prefix),
            let kind = Kind(rawValue: String(type.dropFirst(prefix.count))), let title = json["title"]?.string
        else { return nil }
        self.init(
            kind,
            title: title,
            campaign: json["campaign"]?.string,
            errors: (json["errors"]?.array ?? []).compactMap { Problem(json: $0) },
            warnings: (json["warnings"]?.array ?? []).compactMap { Problem(json: $0) }
        )
    }
}
