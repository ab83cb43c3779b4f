import COpenSSL
import CShims

/// A certificate authority made in memory, for simulators, demos and tests.
///
/// Never for production.
///
/// ```swift
/// let authority = try CertificateAuthority(commonName: "Fanfare simulator")
/// let server = try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"])
/// let context = try TLSServerContext(certificatePEM: server.certificatePEM, privateKeyPEM: server.privateKeyPEM)
/// write authority.certificatePEM to a file, which is the client's CA file
/// ```
/// Keys are P-256. Confined to one thread at a time.
public final class CertificateAuthority {
    /// A certificate and its private key, both PEM (PKCS#8 for the key).
    public struct Identity: Sendable {
        /// The certificate as PEM.
        public let certificatePEM: [UInt8]
        /// The private key as unencrypted PKCS#8 PEM: a secret.
        public let privateKeyPEM: [UInt8]
    }

    /// The authority's own certificate as PEM, which clients are configured to trust.
    public let certificatePEM: [UInt8]

    private let key: OpaquePointer
    private let certificate: OpaquePointer

    /// Creates a new authority, valid from two days ago for `days` days.
    public init(commonName: String, days: Int = 3650) throws(TLSError) {
        ERR_clear_error()
        guard let key = c_evp_generate_p256() else {
            throw TLSError.fromQueue(.configuration, "cannot make a P-256 key for the authority")
        }
        guard let certificate = CertificateAuthority.blank(commonName: commonName, key: key, days: days) else {
            EVP_PKEY_free(key)
            throw TLSError.fromQueue(.configuration, "cannot make the authority's certificate")
        }
        X509_set_issuer_name(certificate, X509_get_subject_name(certificate))
        let complete =
            c_x509_add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") == 1
            && c_x509_add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") == 1
            && c_x509_add_extension(certificate, certificate, NID_subject_key_identifier, "hash") == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
        guard complete, let pem = PEM.text(certificate: certificate) else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            throw TLSError.fromQueue(.configuration, "cannot sign the authority's certificate")
        }
        self.key = key
        self.certificate = certificate
        certificatePEM = pem
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Issues a server certificate for DNS names and IP addresses (at least one of either).
    public func issueServer(
        names: [String],
        addresses: [String] = [],
        days: Int = 825
    ) throws(TLSError) -> Identity {
        let alternatives = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
        guard let first = names.first ?? addresses.first else {
            throw TLSError(.configuration, "a server certificate needs a name or an address; none was given")
        }
        return try issue(
            commonName: first,
            days: days,
            extensions: [
                (NID_subject_alt_name, alternatives.joined(separator: ",")),
                (NID_ext_key_usage, "serverAuth"),
            ]
        )
    }

    /// Returns the authority's own certificate with its key, as a server with a self-signed certificate uses them.
    public func selfSigned() throws(TLSError) -> Identity {
        guard let keyPEM = PEM.text(privateKey: key) else {
            throw TLSError.fromQueue(.configuration, "cannot write the authority's key")
        }
        return Identity(certificatePEM: certificatePEM, privateKeyPEM: keyPEM)
    }

    /// Issues a client certificate, as APNs requires for certificate authentication.
    public func issueClient(commonName: String, days: Int = 825) throws(TLSError) -> Identity {
        try issue(commonName: commonName, days: days, extensions: [(NID_ext_key_usage, "clientAuth")])
    }

    private func issue(
        commonName: String,
        days: Int,
        extensions: [(Int32, String)]
    ) throws(TLSError) -> Identity {
        ERR_clear_error()
        guard let leafKey = c_evp_generate_p256() else {
            throw TLSError.fromQueue(.configuration, "cannot make a P-256 key for \(commonName)")
        }
        defer { EVP_PKEY_free(leafKey) }
        guard let leaf = CertificateAuthority.blank(commonName: commonName, key: leafKey, days: days) else {
            throw TLSError.fromQueue(.configuration, "cannot make a certificate for \(commonName)")
        }
        defer { X509_free(leaf) }
        X509_set_issuer_name(leaf, X509_get_subject_name(certificate))
        let all = [(NID_key_usage, "critical,digitalSignature")] + extensions
        for (identifier, value) in all
        where c_x509_add_extension(leaf, certificate, identifier, value) != 1 {
            throw TLSError.fromQueue(.configuration, "cannot make a certificate for \(commonName): \(value)")
        }
        guard X509_sign(leaf, key, EVP_sha256()) > 0,
            let certificatePEM = PEM.text(certificate: leaf), let keyPEM = PEM.text(privateKey: leafKey)
        else {
            throw TLSError.fromQueue(.configuration, "cannot sign the certificate for \(commonName)")
        }
        return Identity(certificatePEM: certificatePEM, privateKeyPEM: keyPEM)
    }

    /// Returns an unsigned version 3 certificate with a random serial number; nil when out of memory.
    private static func blank(commonName: String, key: OpaquePointer, days: Int) -> OpaquePointer? {
        guard let certificate = X509_new() else { return nil }
        var serial: UInt64 = 0
        let seeded = withUnsafeMutableBytes(of: &serial) { raw in
            RAND_bytes(raw.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(raw.count))
        }
        // Two days back, because the clocks of two machines differ, by a day when one was set wrongly.
        let complete =
            seeded == 1
            && X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -172_800) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400) != nil
            && X509_set_pubkey(certificate, key) == 1
            && X509_NAME_add_entry_by_txt(
                X509_get_subject_name(certificate),
                "CN",
                MBSTRING_UTF8,
                commonName,
                -1,
                -1,
                0
            ) == 1
        guard complete else {
            X509_free(certificate)
            return nil
        }
        return certificate
    }
}
