public import PushProviders

/// An app's block for one provider, with the files that it names.
public struct AccountConfiguration: Sendable {
    /// What the provider makes of the block.
    public let account: any ProviderAccount
    /// The content of the files that the block names, by the name as it stands there.
    public let files: [String: Secret]
    /// The file that the block stands in.
    public let place: String

    /// The content of a file; the reader of the block has refused a block whose files cannot be read.
    func secret(_ file: String) -> [UInt8] {
        guard let secret = files[file] else { preconditionFailure("\(file) was not read with its block") }
        return secret.bytes
    }
}

extension AppConfiguration {
    /// The app's accounts, one per provider block.
    public var accounts: [AccountConfiguration] {
        guard let apns else { return [] }
        var files: [String: Secret] = [:]
        let credential: AccountCredential
        switch apns.credential {
        case .key(let teamID, let keyID, let pem):
            guard let identity = ProviderTokenIdentity(teamID: teamID, keyID: keyID) else { return [] }
            files["key_file"] = pem
            credential = .providerToken(identity, keyFile: "key_file")
        case .certificate(let certificate, let privateKey):
            files["certificate_file"] = certificate
            files["private_key_file"] = privateKey
            credential = .certificate(certificateFile: "certificate_file", privateKeyFile: "private_key_file")
        }
        if let authority = apns.certificateAuthority { files["ca_file"] = authority }
        let settings = APNsSettings(
            topic: apns.topic, credential: credential, environment: apns.environment,
            endpoint: apns.endpoint.map { ProviderEndpoint(host: $0.host, port: UInt16($0.port)) },
            caFile: apns.certificateAuthority == nil ? nil : "ca_file"
        )
        return [AccountConfiguration(account: APNsAccount(settings: settings), files: files, place: "apps.yaml")]
    }
}
