package import PushProviders
import TLS

/// An app's block for one provider, with the files that it names.
package struct AccountConfiguration: Sendable {
    /// The account that the provider made from the block.
    package let account: any ProviderAccount
    /// The contents of the files that the block names, by the name in the block.
    package let files: [String: Secret]
    /// The file and line of the block.
    package let location: String

    /// The account and those that come with it, which have the same files.
    var withCompanions: [AccountConfiguration] {
        [self] + account.companions.map { AccountConfiguration(account: $0, files: files, location: location) }
    }

    /// Returns the key that signs tokens.
    func signingKey(_ credential: TokenCredential) throws(TLSError) -> SigningKey {
        let secret = secret(credential.keyFile)
        return try SigningKey(credential.algorithm, pem: credential.key(in: secret.bytes) ?? [], source: secret.source)
    }

    /// Returns the client certificate from two files of the block.
    func identity(_ certificateFile: String, _ privateKeyFile: String) -> TLSClientContext.Identity {
        let certificate = secret(certificateFile)
        let privateKey = secret(privateKeyFile)
        return TLSClientContext.Identity(
            certificatePEM: certificate.bytes,
            privateKeyPEM: privateKey.bytes,
            source: "\(certificate.source) with \(privateKey.source)"
        )
    }

    /// The authorities trusted at the account's endpoint.
    var trust: TLSClientContext.Trust {
        guard let file = account.caFile else { return .system }
        let secret = secret(file)
        return .authorities(pem: secret.bytes, source: secret.source)
    }

    /// Returns the authorities trusted at another endpoint: the gateway's own authority does not vouch for other
    /// hosts.
    func trust(at endpoint: ProviderEndpoint) -> TLSClientContext.Trust {
        endpoint == account.endpoint(nil) ? trust : .system
    }

    /// Returns the content of a file; a block whose files cannot be read was refused before.
    private func secret(_ file: String) -> Secret {
        guard let secret = files[file] else { preconditionFailure("\(file) was not read with its block") }
        return secret
    }
}
