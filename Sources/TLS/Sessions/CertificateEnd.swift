import COpenSSL

extension TLSClientContext.Identity {
    /// The end of the certificate in seconds since 1970; nil if there is no certificate to read.
    public var endsAt: Int64? {
        let chain = PEM.certificates(certificatePEM)
        defer { for certificate in chain { X509_free(certificate) } }
        return chain.first.flatMap(CertificateEnd.of)
    }
}

extension TLSServerContext {
    /// The end of the certificate in seconds since 1970; nil if OpenSSL cannot tell it.
    public var endsAt: Int64? { SSL_CTX_get0_certificate(context.pointer).flatMap(CertificateEnd.of) }
}

private enum CertificateEnd {
    /// Returns the end of a certificate in seconds since 1970.
    static func of(_ certificate: OpaquePointer) -> Int64? {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
