import PushProviders
import TLS

/// Says early what is wrong with a key or a certificate, instead of at the first push.
enum CredentialCheck {
    /// Notes a problem, one line, for everything of an account that cannot be used.
    static func check(_ configuration: AccountConfiguration, fields: FieldReader) {
        switch configuration.account.credential {
        case .token(let credential):
            attempt(credential.keyFile, fields) { () throws(TLSError) in _ = try configuration.signingKey(credential) }
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

    /// One file may stand in two fields; `ca_file` is the contract's name for the authority in every provider's block.
    private static func attempt(
        _ file: String,
        _ fields: FieldReader,
        isAuthority: Bool = false,
        _ use: () throws(TLSError) -> Void
    ) {
        do throws(TLSError) {
            try use()
        } catch {
            let place = fields.place(ofValue: file) { ($0 == "ca_file") == isAuthority }
            fields.problems.add(place.line, place.key, "invalid_key", error.message)
        }
    }
}
