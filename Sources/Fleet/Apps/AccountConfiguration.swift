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

    /// The key that tokens are made with.
    func signingKey(_ credential: TokenCredential) throws(TLSError) -> SigningKey {
        let secret = secret(credential.keyFile)
        return try SigningKey(credential.algorithm, pem: credential.key(in: secret.bytes) ?? [], source: secret.source)
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

    /// Whom to trust at another endpoint of the account: the gateway's authority says nothing about other hosts.
    func trust(at endpoint: ProviderEndpoint) -> TLSClientContext.Trust {
        endpoint == account.endpoint(nil) ? trust : .system
    }

    /// The content of a file; the reader of the block has refused a block whose files cannot be read.
    private func secret(_ file: String) -> Secret {
        guard let secret = files[file] else { preconditionFailure("\(file) was not read with its block") }
        return secret
    }
}
