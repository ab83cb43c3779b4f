public import Campaigns

/// An app's `apns` block of `apps.yaml` (contract, section 4).
public struct APNsSettings: Hashable, Sendable {
    /// The bundle id, to which push types add their suffix; for `mdm` the UID of the MDM certificate.
    public var topic: String
    /// The token or certificate.
    public var credential: AccountCredential
    /// The environment of devices that do not name one.
    public var environment: PushEnvironment
    /// A private gateway in place of Apple's hosts, for both environments; nil for Apple's.
    public var endpoint: ProviderEndpoint?
    /// The file with the gateway's root certificates; nil for the system's.
    public var caFile: String?

    /// `api.push.apple.com:443` (C1.1).
    public static let production = ProviderEndpoint(host: "api.push.apple.com")
    /// `api.sandbox.push.apple.com:443` (C1.1).
    public static let sandbox = ProviderEndpoint(host: "api.sandbox.push.apple.com")

    /// The keys of the block, in the order of the contract.
    public static let keys = [
        "topic", "team_id", "key_id", "key_file", "certificate_file", "private_key_file", "environment", "endpoint",
        "ca_file",
    ]

    /// Creates settings that are known to be valid.
    public init(
        topic: String,
        credential: AccountCredential,
        environment: PushEnvironment = .production,
        endpoint: ProviderEndpoint? = nil,
        caFile: String? = nil
    ) {
        self.topic = topic
        self.credential = credential
        self.environment = environment
        self.endpoint = endpoint
        self.caFile = caFile
    }

    /// Reads the block; throws all problems at once, with pointers relative to the block.
    public init(_ block: [String: String]) throws(SettingsRefused) {
        var problems = SettingsProblems.unknown(block, of: "apns", keys: Self.keys)
        let topic = Self.topic(block, &problems)
        let environment = Self.environment(block, &problems)
        let endpoint = SettingsProblems.endpoint(block, of: "apns", &problems)
        let credential = Self.credential(block, &problems)
        guard problems.isEmpty, let credential else { throw SettingsRefused(problems: problems) }
        self.init(
            topic: topic,
            credential: credential,
            environment: environment,
            endpoint: endpoint,
            caFile: block["ca_file"]
        )
    }

    /// The bundle id itself, also where the topic was given with the suffix of a Live Activity.
    var bundleID: String {
        let suffix = PushType.liveactivity.topicSuffix
        return topic.hasSuffix(suffix) ? String(topic.dropLast(suffix.count)) : topic
    }

    /// Returns the endpoint for an environment; nil is the app's own environment.
    public func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint {
        if let endpoint { return endpoint }
        return (environment ?? self.environment) == .sandbox ? Self.sandbox : Self.production
    }

    private static func topic(_ block: [String: String], _ problems: inout [Problem]) -> String {
        let topic = block["topic"] ?? ""
        let isName = topic.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        if topic.isEmpty {
            problems.append(
                Problem(
                    pointer: "/topic",
                    code: .required,
                    detail: "apns has no topic",
                    fix: "set topic to the app's bundle id"
                )
            )
        } else if !isName {
            problems.append(
                Problem(
                    pointer: "/topic",
                    code: .format,
                    detail: "the topic is not a bundle id",
                    fix: "a bundle id has letters, digits, '.', '-' and '_'"
                )
            )
        }
        return topic
    }

    private static func environment(_ block: [String: String], _ problems: inout [Problem]) -> PushEnvironment {
        guard let word = block["environment"] else { return .production }
        if let environment = PushEnvironment.apple.first(where: { $0.rawValue == word }) { return environment }
        problems.append(
            Problem(
                pointer: "/environment",
                code: .value,
                detail: "environment is \(word)",
                fix: "production or sandbox"
            )
        )
        return .production
    }

    private static func credential(_ block: [String: String], _ problems: inout [Problem]) -> AccountCredential? {
        let tokenKeys = ["team_id", "key_id", "key_file"]
        let certificateKeys = ["certificate_file", "private_key_file"]
        let byToken = tokenKeys.contains { block[$0] != nil }
        let byCertificate = certificateKeys.contains { block[$0] != nil }
        guard byToken != byCertificate else {
            problems.append(
                Problem(
                    pointer: "",
                    code: byToken ? .conflict : .required,
                    detail: byToken ? "apns has both a key and a certificate" : "apns has no credential",
                    fix: "give team_id, key_id and key_file, or certificate_file and private_key_file"
                )
            )
            return nil
        }
        let wanted = byToken ? tokenKeys : certificateKeys
        let missing = wanted.filter { block[$0, default: ""].isEmpty }
        problems += missing.map { key in
            Problem(
                pointer: "/\(key)",
                code: .required,
                detail: "apns has no \(key)",
                fix: "\(wanted.joined(separator: ", ")) belong together"
            )
        }
        for key in ["team_id", "key_id"] where byToken && !missing.contains(key) {
            guard !ProviderTokenIdentity.isIdentifier(block[key, default: ""]) else { continue }
            problems.append(
                Problem(
                    pointer: "/\(key)",
                    code: .format,
                    detail: "\(key) is not ten capital letters or digits",
                    fix: key == "key_id" ? "it stands in the name AuthKey_<key_id>.p8" : "it stands in Apple's account"
                )
            )
        }
        if !byToken {
            return .certificate(
                certificateFile: block["certificate_file", default: ""],
                privateKeyFile: block["private_key_file", default: ""]
            )
        }
        return ProviderTokenIdentity(teamID: block["team_id", default: ""], keyID: block["key_id", default: ""])
            .map { .token($0.credential(keyFile: block["key_file", default: ""])) }
    }
}
