import Campaigns

/// An app's `webpush` block of `apps.yaml`.
public struct WebPushSettings: Hashable, Sendable {
    /// The contact for problems: a `mailto:` or `https:` URL (RFC 8292 section 2.1).
    public var subject: String
    /// The public half of the VAPID key in base64url, as the site subscribes with it (`applicationServerKey`).
    public var publicKey: String
    /// The file with the private half: PEM, or 32 bytes in base64url.
    public var privateKeyFile: String
    /// The file with the root certificates of a private push service; nil for the system's.
    public var caFile: String?
    /// True if endpoints may lie in a private network.
    public var allowsPrivateAddresses: Bool
    /// The page that a notification without a link of its own opens, where the browser opens it without the site's
    /// service worker; nil for none.
    public var site: String?

    /// The keys of the block, in the order of the contract.
    public static let keys = ["subject", "public_key", "private_key_file", "addresses", "ca_file", "site"]

    /// Creates settings that are known to be valid.
    public init(
        subject: String,
        publicKey: String,
        privateKeyFile: String,
        caFile: String? = nil,
        allowsPrivateAddresses: Bool = false,
        site: String? = nil
    ) {
        self.subject = subject
        self.publicKey = publicKey
        self.privateKeyFile = privateKeyFile
        self.caFile = caFile
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.site = site
    }

    /// Reads the block; throws all problems at once, with pointers relative to the block.
    public init(_ block: [String: String]) throws(SettingsRefused) {
        var problems = SettingsProblems.unknown(block, of: "webpush", keys: Self.keys)
        let subject = Self.required(
            "subject",
            block,
            fix: "say who runs the app, for example mailto:push@example.com",
            &problems
        ) { Self.isSubject($0) ? nil : "subject is neither a mailto: nor an https: URL" }
        let publicKey = Self.required(
            "public_key",
            block,
            fix: "it is what the site gives as applicationServerKey: 87 characters of base64url",
            &problems
        ) { Self.isPublicKey($0) ? nil : "public_key is not a public key of P-256" }
        let file = Self.required(
            "private_key_file",
            block,
            fix: "name the file with the VAPID key: PEM, or what tools for Web Push print",
            &problems
        ) { _ in nil }
        let addresses = block["addresses"] ?? "global"
        if !["global", "any"].contains(addresses) {
            problems.append(
                Problem(
                    pointer: "/addresses",
                    code: .value,
                    detail: "addresses is \(addresses)",
                    fix: "global; or any, which lets whoever subscribes send requests into your own network"
                )
            )
        }
        let site = block["site"]
        if let site, !Self.isAddress(site) {
            problems.append(
                Problem(
                    pointer: "/site",
                    code: .format,
                    detail: "site is not the address of a page",
                    fix: "write it like https://news.example.com/"
                )
            )
        }
        guard problems.isEmpty else { throw SettingsRefused(problems: problems) }
        self.init(
            subject: subject,
            publicKey: publicKey,
            privateKeyFile: file,
            caFile: block["ca_file"],
            allowsPrivateAddresses: addresses == "any",
            site: site
        )
    }

    /// Returns the app's identity for the push service of an origin.
    public func identity(audience: String) -> VAPIDIdentity {
        VAPIDIdentity(audience: audience, subject: subject, publicKey: publicKey)
    }

    private static func required(
        _ key: String,
        _ block: [String: String],
        fix: String,
        _ problems: inout [Problem],
        fault: (String) -> String?
    ) -> String {
        let text = block[key] ?? ""
        if text.isEmpty {
            problems.append(Problem(pointer: "/\(key)", code: .required, detail: "webpush has no \(key)", fix: fix))
        } else if let fault = fault(text) {
            problems.append(Problem(pointer: "/\(key)", code: .format, detail: fault, fix: fix))
        }
        return text
    }

    /// Returns true for a claim that services accept: only visible ASCII, and an address in it.
    private static func isSubject(_ text: String) -> Bool {
        if isAddress(text) { return true }
        guard isShortASCII(text) else { return false }
        if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        }
        return false
    }

    private static func isAddress(_ text: String) -> Bool {
        isShortASCII(text) && text.hasPrefix("https://") && text.utf8.count > "https://".utf8.count
    }

    private static func isShortASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && text.utf8.count <= 255
    }

    private static func isPublicKey(_ text: String) -> Bool {
        guard let point = Base64URL.decode(text.utf8) else { return false }
        return point.count == 65 && point.first == 4
    }
}
