import PushProviders
import TLS

/// Checks keys and certificates when they are read, so that a bad one is found before the first push.
enum CredentialCheck {
    /// Notes a one-line problem for each key or certificate of an account that cannot be used.
    static func check(_ configuration: AccountConfiguration, fields: FieldReader) {
        switch configuration.account.credential {
        case .token(let credential):
            attempt(credential.keyFile, fields) { () throws(TLSError) in
                let key = try configuration.signingKey(credential)
                if let point = try key.publicPoint() { check(point, of: credential, fields) }
            }
        case .certificate(let certificateFile, let privateKeyFile):
            let identity = configuration.identity(certificateFile, privateKeyFile)
            attempt(certificateFile, fields) { () throws(TLSError) in
                _ = try TLSClientContext(trust: .system, identity: identity)
            }
        }
        if let authority = configuration.account.caFile {
            attempt(authority, fields, isAuthority: true) { () throws(TLSError) in
                _ = try TLSClientContext(trust: configuration.trust)
            }
        }
    }

    /// Every push service refuses what is signed with a key other than the one that the subscriptions were made with.
    private static func check(_ point: [UInt8], of credential: TokenCredential, _ fields: FieldReader) {
        let own = String(decoding: Base64URL.encode(point), as: UTF8.self)
        guard let told = credential.publicKey, told != own else { return }
        let location = fields.location(ofValue: told)
        fields.problems.add(
            location.line,
            location.key,
            "key_mismatch",
            "it is not the public half of the key in \(credential.keyFile)",
            "when the site subscribes with \(own), write that; otherwise name the file of the site's own key"
        )
    }

    /// Two fields may name the same file; `ca_file` is the contract's name for the authority in every block.
    private static func attempt(
        _ file: String,
        _ fields: FieldReader,
        isAuthority: Bool = false,
        _ use: () throws(TLSError) -> Void
    ) {
        do throws(TLSError) {
            try use()
        } catch {
            let location = fields.location(ofValue: file) { ($0 == "ca_file") == isAuthority }
            fields.problems.add(location.line, location.key, "invalid_key", error.message)
        }
    }
}
