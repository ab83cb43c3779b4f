import COpenSSL
import CShims

/// Conversions between PEM and OpenSSL objects.
///
/// The caller owns the returned pointers.
enum PEM {
    /// Runs `body` with a read-only BIO over `bytes`.
    static func withReader<R>(_ bytes: [UInt8], _ body: (OpaquePointer) -> R?) -> R? {
        bytes.withUnsafeBytes { raw -> R? in
            guard let base = raw.baseAddress, let count = Int32(exactly: raw.count),
                let bio = BIO_new_mem_buf(base, count)
            else { return nil }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    /// Returns the bytes that `body` writes into a memory BIO; nil when it returns false.
    static func written(_ body: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard body(bio) else { return nil }
        var start: UnsafePointer<UInt8>?
        let count = c_bio_memory(bio, &start)
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Reads a private key; nil when the PEM holds none or is encrypted.
    static func privateKey(_ bytes: [UInt8]) -> OpaquePointer? {
        PEM.withReader(bytes) { PEM_read_bio_PrivateKey($0, nil, c_tls_no_passphrase, nil) }
    }

    /// Reads a public key ("BEGIN PUBLIC KEY").
    static func publicKey(_ bytes: [UInt8]) -> OpaquePointer? {
        PEM.withReader(bytes) { PEM_read_bio_PUBKEY($0, nil, c_tls_no_passphrase, nil) }
    }

    /// Reads every certificate of a file, in order.
    static func certificates(_ bytes: [UInt8]) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        _ = PEM.withReader(bytes) { bio -> Bool? in
            while let certificate = PEM_read_bio_X509(bio, nil, c_tls_no_passphrase, nil) {
                found.append(certificate)
            }
            return true
        }
        // OpenSSL reports the end of a PEM file as an error ("no start line").
        ERR_clear_error()
        return found
    }

    static func text(privateKey: OpaquePointer) -> [UInt8]? {
        PEM.written { PEM_write_bio_PKCS8PrivateKey($0, privateKey, nil, nil, 0, nil, nil) == 1 }
    }

    static func text(publicKey: OpaquePointer) -> [UInt8]? {
        PEM.written { PEM_write_bio_PUBKEY($0, publicKey) == 1 }
    }

    static func text(certificate: OpaquePointer) -> [UInt8]? {
        PEM.written { PEM_write_bio_X509($0, certificate) == 1 }
    }
}
