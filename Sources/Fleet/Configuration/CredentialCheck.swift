import TLS

/// Says early what is wrong with a key or a certificate, instead of at the first push.
enum CredentialCheck {
    /// Notes a problem when the files of an `apns` block cannot be used.
    static func check(
        _ credential: APNsConfiguration.Credential?,
        authority: Secret?,
        fields: FieldReader
    ) {
        switch credential {
        case .key(_, _, let pem):
            attempt("key_file", fields) { () throws(TLSError) in
                _ = try ES256.SigningKey(pem: pem.bytes, source: pem.source)
            }
        case .certificate(let certificate, let privateKey):
            let identity = TLSClientContext.Identity(
                certificatePEM: certificate.bytes,
                privateKeyPEM: privateKey.bytes,
                source: "\(certificate.source) with \(privateKey.source)"
            )
            attempt("certificate_file", fields) { () throws(TLSError) in
                _ = try TLSClientContext(trust: .system, identity: identity)
            }
        case nil: break
        }
        if let authority {
            attempt("ca_file", fields) { () throws(TLSError) in
                _ = try TLSClientContext(trust: .authorities(pem: authority.bytes, source: authority.source))
            }
        }
    }

    private static func attempt(_ field: String, _ fields: FieldReader, _ use: () throws(TLSError) -> Void) {
        do throws(TLSError) {
            try use()
        } catch {
            let line = fields.entry(field)?.line ?? fields.line
            fields.problems.add(line, fields.path(field), "invalid_key", error.message)
        }
    }
}
