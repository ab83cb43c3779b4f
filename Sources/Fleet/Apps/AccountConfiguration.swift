public import PushProviders
import TLS

/// An app's block for one provider, with the files that it names.
public struct AccountConfiguration: Sendable {
    /// What the provider makes of the block.
    public let account: any ProviderAccount
    /// The content of the files that the block names, by the name as it stands there.
    public let files: [String: Secret]
    /// The file and line where the block stands.
    public let place: String

    /// The key in a file of the block.
    func signingKey(_ file: String) throws(TLSError) -> ES256.SigningKey {
        let secret = secret(file)
        return try ES256.SigningKey(pem: secret.bytes, source: secret.source)
    }

    /// The client certificate in two files of the block.
    func identity(_ certificateFile: String, _ privateKeyFile: String) -> TLSClientContext.Identity {
        let certificate = secret(certificateFile)
        let privateKey = secret(privateKeyFile)
        return TLSClientContext.Identity(
            certificatePEM: certificate.bytes,
            privateKeyPEM: privateKey.bytes,
            source: "\(certificate.source) with \(privateKey.source)"
        )
    }

    /// Whom to trust at the account's endpoint.
    var trust: TLSClientContext.Trust {
        guard let file = account.caFile else { return .system }
        let secret = secret(file)
        return .authorities(pem: secret.bytes, source: secret.source)
    }

    /// The content of a file; the reader of the block has refused a block whose files cannot be read.
    private func secret(_ file: String) -> Secret {
        guard let secret = files[file] else { preconditionFailure("\(file) was not read with its block") }
        return secret
    }
}
