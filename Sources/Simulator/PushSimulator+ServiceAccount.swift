public import TLS

extension PushSimulator {
    /// A Google service account of the simulated world.
    public struct ServiceAccount: Sendable {
        /// The project that it sends for.
        public let projectID: String
        /// The `kid` of its assertions.
        public let keyID: String
        /// The `iss` of its assertions.
        public let clientEmail: String
        /// The signing key as PKCS#8 PEM: a secret (of the simulated world).
        public let privateKeyPEM: [UInt8]
        let publicKeyPEM: [UInt8]

        /// The name of its file.
        public static let file = "service-account.json"

        /// Creates an account with a 2048-bit RSA key, as Google's console does.
        public init(projectID: String = FCMAccess().project) throws(TLSError) {
            let pair = try RS256.generateKey()
            self.projectID = projectID
            clientEmail = "fanfare@\(projectID).iam.gserviceaccount.com"
            // Google's are 40 hexadecimal digits too; a digest of the public key reveals no secret.
            keyID = Hexadecimal.text(SHA256.digest(pair.publicKeyPEM).prefix(20))
            privateKeyPEM = pair.privateKeyPEM
            publicKeyPEM = pair.publicKeyPEM
        }

        /// Returns the account in the form of Google's console; `endpoint` is, for example, `https://127.0.0.1:8444`.
        public func json(endpoint: String) -> String {
            let members = [
                ("type", "service_account"), ("project_id", projectID), ("private_key_id", keyID),
                ("private_key", String(decoding: privateKeyPEM, as: UTF8.self)), ("client_email", clientEmail),
                ("client_id", "100000000000000000001"), ("auth_uri", "\(endpoint)/o/oauth2/auth"),
                ("token_uri", "\(endpoint)/token"), ("universe_domain", "googleapis.com"),
            ].map { "  \"\($0.0)\": \(JSONNode.quoted($0.1))" }
            return "{\n\(members.joined(separator: ",\n"))\n}\n"
        }

        var account: FCMAccess.Account {
            FCMAccess.Account(clientEmail: clientEmail, keyID: keyID, publicKeyPEM: publicKeyPEM)
        }
    }
}
