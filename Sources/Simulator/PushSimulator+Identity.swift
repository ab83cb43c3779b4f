import Glibc
public import TLS

extension PushSimulator {
    /// The credentials that a sender needs.
    public struct Credentials: Sendable {
        /// The signing key as PKCS#8 PEM, the content of an `AuthKey_….p8`: a secret (of the simulated world).
        public let privateKeyPEM: [UInt8]
        /// The `kid` of provider tokens.
        public let keyID: String
        /// The `iss` of provider tokens.
        public let teamID: String
        /// A topic that the key may send to.
        public let topic: String

        /// The file name that Apple would give the key.
        public var keyFile: String { "AuthKey_\(keyID).p8" }
    }

    /// The identity of a simulator: its authority, its certificate, a client certificate and signing keys.
    public struct Identity: Sendable {
        /// The authority's certificate, which clients are configured to trust.
        public let authorityPEM: [UInt8]
        /// The server's certificate.
        public let certificatePEM: [UInt8]
        /// The server's key: a secret (of the simulated world).
        public let privateKeyPEM: [UInt8]
        /// A client certificate of the authority with its key, for certificate authentication.
        public let client: CertificateAuthority.Identity
        /// A signing key that the simulator accepts.
        public let credentials: Credentials
        /// A second accepted key of the same team, for a key change.
        public let spareCredentials: Credentials

        /// The account that may send by FCM; a simulator with FCM makes one if there is none.
        public var serviceAccount: ServiceAccount?

        /// A signing key for Web Push as PKCS#8 PEM, such as an application server makes: a secret.
        public let vapidKeyPEM: [UInt8]
        /// Its public half in base64url, which a site passes as `applicationServerKey`.
        public let vapidPublicKey: String

        let providerKeys: [APNsAccess.ProviderKey]

        /// Creates an authority and everything that it issues.
        ///
        /// The server's certificate is for `names` and `addresses`, valid for `days`. Names other than the sender's, or
        /// -1 day, show that a sender refuses the wrong peer.
        public init(
            names: [String] = ["localhost"],
            addresses: [String] = ["127.0.0.1"],
            days: Int = 825,
            keyID: String = "SIMKEY0001",
            spareKeyID: String = "SIMKEY0002",
            teamID: String = "SIMTEAM001",
            topic: String = "com.example.news"
        ) throws(TLSError) {
            let authority = try CertificateAuthority(commonName: "Fanfare simulator")
            let server = try authority.issueServer(names: names, addresses: addresses, days: days)
            let pair = try ES256.generateKey()
            let spare = try ES256.generateKey()
            vapidKeyPEM = try ES256.generateKey().privateKeyPEM
            let vapid = try ES256.SigningKey(pem: vapidKeyPEM, source: "the simulator's VAPID key")
            vapidPublicKey = String(decoding: Base64URL.encode(try vapid.publicKey()), as: UTF8.self)
            authorityPEM = authority.certificatePEM
            certificatePEM = server.certificatePEM
            privateKeyPEM = server.privateKeyPEM
            client = try authority.issueClient(commonName: topic)
            credentials = Credentials(privateKeyPEM: pair.privateKeyPEM, keyID: keyID, teamID: teamID, topic: topic)
            spareCredentials = Credentials(
                privateKeyPEM: spare.privateKeyPEM,
                keyID: spareKeyID,
                teamID: teamID,
                topic: topic
            )
            providerKeys = [
                APNsAccess.ProviderKey(keyID: keyID, teamID: teamID, publicKeyPEM: pair.publicKeyPEM),
                APNsAccess.ProviderKey(keyID: spareKeyID, teamID: teamID, publicKeyPEM: spare.publicKeyPEM),
            ]
        }
    }

    /// The error for a folder that cannot be written to.
    public struct WriteError: Error, Sendable, CustomStringConvertible {
        /// The path and the system's reason.
        public let description: String
    }
}

extension PushSimulator.Identity {
    /// Writes authority, keys, certificates and an `apps.yaml` into an existing folder.
    ///
    /// The files are `ca.pem`, both `AuthKey_<key id>.p8`, `client.pem`, `client.key`, `vapid.pem` (a key for Web Push)
    /// and, when FCM is simulated at `fcmEndpoint`, `service-account.json`. `apps.yaml` has one app, `app`, that sends
    /// to `endpoint` (such as `https://127.0.0.1:8443`). When it `hasWebPush`, the app sends to subscriptions on any
    /// address, because those of a simulator are on loopback. Files with keys are readable by their owner only. Blocks
    /// on the file system.
    public func write(
        to directory: String,
        endpoint: String,
        fcmEndpoint: String? = nil,
        hasWebPush: Bool = false,
        app: String = "news"
    ) throws(PushSimulator.WriteError) {
        let apps = apps(endpoint: endpoint, fcmEndpoint: fcmEndpoint, hasWebPush: hasWebPush, app: app)
        try Self.write(authorityPEM, to: "\(directory)/ca.pem", mode: 0o644)
        try Self.write(vapidKeyPEM, to: "\(directory)/vapid.pem", mode: 0o600)
        for key in [credentials, spareCredentials] {
            try Self.write(key.privateKeyPEM, to: "\(directory)/\(key.keyFile)", mode: 0o600)
        }
        try Self.write(client.certificatePEM, to: "\(directory)/client.pem", mode: 0o644)
        try Self.write(client.privateKeyPEM, to: "\(directory)/client.key", mode: 0o600)
        if let fcmEndpoint, let serviceAccount {
            let file = "\(directory)/\(PushSimulator.ServiceAccount.file)"
            try Self.write(Array(serviceAccount.json(endpoint: fcmEndpoint).utf8), to: file, mode: 0o600)
        }
        try Self.write(Array(apps.utf8), to: "\(directory)/apps.yaml", mode: 0o644)
    }

    private func apps(endpoint: String, fcmEndpoint: String?, hasWebPush: Bool, app: String) -> String {
        let apns = """
            apps:
              \(app):
                apns:
                  topic: \(credentials.topic)
                  team_id: \(credentials.teamID)
                  key_id: \(credentials.keyID)
                  key_file: \(credentials.keyFile)
                  environment: production
                  endpoint: \(endpoint)
                  ca_file: ca.pem

            """
        let fcm =
            fcmEndpoint.map { endpoint in
                """
                    fcm:
                      service_account_file: \(PushSimulator.ServiceAccount.file)
                      endpoint: \(endpoint)
                      ca_file: ca.pem

                """
            } ?? ""
        guard hasWebPush else { return apns + fcm }
        return apns + fcm + """
                webpush:
                  subject: mailto:push@example.com
                  public_key: \(vapidPublicKey)
                  private_key_file: vapid.pem
                  addresses: any
                  ca_file: ca.pem

            """
    }

    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(PushSimulator.WriteError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        var isWritten = descriptor >= 0 && fchmod(descriptor, mode) == 0
        var rest = bytes[...]
        while isWritten && !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            isWritten = count > 0
            rest = rest.dropFirst(max(count, 0))
        }
        let reason = String(cString: strerror(errno))
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else { throw PushSimulator.WriteError(description: "cannot write \(path): \(reason)") }
    }
}
