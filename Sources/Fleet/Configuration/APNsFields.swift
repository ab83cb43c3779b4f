import Campaigns

/// Reads the `apns` block of an app.
enum APNsFields {
    private static let known = [
        "topic", "team_id", "key_id", "key_file", "certificate_file", "private_key_file", "environment", "endpoint",
        "ca_file",
    ]

    /// nil when something essential is missing; the problems say what.
    static func read(_ fields: FieldReader) -> APNsConfiguration? {
        fields.refuseUnknown(known: known)
        let topic = fields.required("topic", "the app's bundle id, for example com.example.news") { text in
            (1...255).contains(text.utf8.count) && text.utf8.allSatisfy(ByteSets.name.contains)
        }
        let environment = fields.text("environment", "production or sandbox") { PushEnvironment(rawValue: $0) != nil }
        let endpoint = fields.text("endpoint", "an https URL of host and port, for example https://localhost:8443") {
            self.endpoint($0) != nil
        }
        let authority = fields.file("ca_file")
        if let entry = fields.entry("ca_file"), fields.entry("endpoint") == nil {
            fields.problems.add(
                entry.line,
                fields.path("ca_file"),
                "needs_endpoint",
                "ca_file is only for an endpoint of one's own",
                "add endpoint, or leave ca_file out"
            )
        }
        let credential = credential(fields)
        CredentialCheck.check(credential, authority: authority, fields: fields)
        guard let credential, let topic else { return nil }
        return APNsConfiguration(
            topic: topic,
            credential: credential,
            environment: environment.flatMap(PushEnvironment.init(rawValue:)) ?? .production,
            endpoint: endpoint.flatMap { self.endpoint($0) },
            certificateAuthority: authority
        )
    }

    private static func credential(_ fields: FieldReader) -> APNsConfiguration.Credential? {
        let hasKey = fields.entry("key_file") != nil
        let hasCertificate = fields.entry("certificate_file") != nil || fields.entry("private_key_file") != nil
        if hasKey == hasCertificate {
            let detail = hasKey ? "both a key and a certificate are given" : "neither a key nor a certificate is given"
            fields.problems.add(
                fields.line,
                fields.key,
                "credential",
                detail,
                "give team_id, key_id and key_file, or certificate_file and private_key_file"
            )
            return nil
        }
        return hasKey ? key(fields) : certificate(fields)
    }

    private static func key(_ fields: FieldReader) -> APNsConfiguration.Credential? {
        let teamID = fields.required(
            "team_id",
            "ten letters and digits from Apple's developer account",
            where: isAppleID
        )
        let keyID = fields.required(
            "key_id",
            "ten letters and digits, as in the name of the .p8 file",
            where: isAppleID
        )
        guard let pem = fields.file("key_file"), let teamID, let keyID else { return nil }
        return .key(teamID: teamID, keyID: keyID, pem: pem)
    }

    private static func certificate(_ fields: FieldReader) -> APNsConfiguration.Credential? {
        for field in ["certificate_file", "private_key_file"] where fields.entry(field) == nil {
            fields.problems.add(fields.line, fields.path(field), "missing", "\(field) is missing", "both are needed")
        }
        for field in ["team_id", "key_id"] {
            guard let entry = fields.entry(field) else { continue }
            fields.problems.add(entry.line, fields.path(field), "credential", "\(field) goes with key_file only")
        }
        guard let certificate = fields.file("certificate_file"), let key = fields.file("private_key_file") else {
            return nil
        }
        return .certificate(certificate: certificate, privateKey: key)
    }

    private static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy(ByteSets.alphanumeric.contains)
    }

    /// `https://host[:port]`, nothing behind it.
    static func endpoint(_ text: String) -> APNsConfiguration.Endpoint? {
        guard text.hasPrefix("https://") else { return nil }
        let authority = text.dropFirst(8).prefix { $0 != "/" }
        guard text.dropFirst(8 + authority.count).allSatisfy({ $0 == "/" }), !authority.contains("@") else {
            return nil
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let host = parts.first, !host.isEmpty else { return nil }
        guard let port = parts.count == 2 ? Int(parts[1]) : 443, (1...65_535).contains(port) else { return nil }
        return APNsConfiguration.Endpoint(host: String(host), port: port)
    }
}
