import Campaigns

/// A service account of Google Cloud as described by its JSON file, without the key.
public struct ServiceAccount: Hashable, Sendable {
    /// The Firebase project.
    public let projectID: String
    /// The owner of the key and issuer of assertions.
    public let clientEmail: String
    /// The key's id, the assertion's `kid`.
    public let keyID: String
    /// The address that gives out access tokens, as written in the file; the assertion's audience.
    public let tokenURI: String
    /// The host and port of `tokenURI`.
    public let tokenEndpoint: ProviderEndpoint
    /// The path of `tokenURI`.
    public let tokenPath: String

    /// The reason why a file is not accepted.
    struct Refusal: Error, Equatable {
        var detail: String
        var fix: String
    }

    /// Reads a file in Google's form.
    init(_ file: [UInt8]) throws(Refusal) {
        let fix = "give the JSON file that Google's console makes for a key of a service account"
        let reading = JSONReader.read(file)
        guard reading.problems.isEmpty, let value = reading.value, value.members != nil else {
            throw Refusal(detail: "the file is not a JSON object", fix: fix)
        }
        guard value["type"]?.string == "service_account" else {
            throw Refusal(detail: "the file's type is not service_account", fix: fix)
        }
        var texts: [String: String] = [:]
        for name in ["project_id", "client_email", "private_key_id", "private_key"] {
            guard let text = value[name]?.string, !text.isEmpty else {
                throw Refusal(detail: "the file has no \(name)", fix: fix)
            }
            texts[name] = text
        }
        projectID = texts["project_id", default: ""]
        clientEmail = texts["client_email", default: ""]
        keyID = texts["private_key_id", default: ""]
        guard (1...64).contains(projectID.utf8.count), projectID.utf8.allSatisfy(Self.isProjectByte) else {
            throw Refusal(detail: "the file's project_id is not a project's id", fix: fix)
        }
        tokenURI = value["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
        let rest = tokenURI.utf8.dropFirst("https://".utf8.count)
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = String(decoding: rest.dropFirst(host.count), as: UTF8.self)
        guard tokenURI.hasPrefix("https://"),
            let endpoint = ProviderEndpoint(url: "https://" + String(decoding: host, as: UTF8.self)),
            path.utf8.count <= 256, path.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Refusal(detail: "the file's token_uri is not an https address", fix: fix) }
        tokenEndpoint = endpoint
        tokenPath = path.isEmpty ? "/" : path
    }

    /// Returns the private key in a file as PEM; nil when there is none.
    static func key(in file: [UInt8]) -> [UInt8]? {
        JSONReader.read(file).value?["private_key"]?.string.map { Array($0.utf8) }
    }

    /// Returns the credential of access tokens requested with the key in a file.
    public func credential(keyFile: String) -> TokenCredential {
        TokenCredential(
            name: "service account \(clientEmail), key \(keyID.prefix(12))",
            keyFile: keyFile,
            algorithm: .rs256,
            key: Self.key
        ) { _ in AccessTokenRule(account: self) }
    }

    private static func isProjectByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        // Domain-scoped projects have a domain and a colon in front.
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }
}
