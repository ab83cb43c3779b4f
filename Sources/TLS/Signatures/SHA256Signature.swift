import COpenSSL

/// Signatures over SHA-256 with a key of any type; the type decides the form of the signature.
enum SHA256Signature {
    /// Returns the signature of `message`, at most `bytesMax` bytes; nil when the key cannot sign.
    static func sign(_ message: [UInt8], _ key: OpaquePointer, bytesMax: Int) -> [UInt8]? {
        ERR_clear_error()
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: bytesMax)
        var count = bytesMax
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { return nil }
        return Array(signature.prefix(count))
    }

    /// Returns true if `signature` is the key's for `message`; false for malformed signatures.
    static func verifies(_ signature: [UInt8], of message: [UInt8], _ key: OpaquePointer) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Returns the public half of a key as PEM.
    static func publicKeyPEM(_ key: OpaquePointer) throws(TLSError) -> [UInt8] {
        guard let pem = PEM.text(publicKey: key) else {
            throw TLSError.fromQueue(.signature, "cannot write the public key as PEM")
        }
        return pem
    }

    /// Reads a private key from a PEM; `expected` says which form it should have.
    static func privateKey(_ pem: [UInt8], source: String, expected: String) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let key = PEM.privateKey(pem) else {
            throw TLSError.fromQueue(
                .configuration,
                "\(source) is not an unencrypted private key in PEM form; expected \(expected)"
            )
        }
        return key
    }

    /// Reads a public key from a PEM.
    static func publicKey(_ pem: [UInt8], source: String) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let key = PEM.publicKey(pem) else {
            throw TLSError.fromQueue(.configuration, "\(source) is not a public key in PEM form")
        }
        return key
    }

    /// Returns a key that has no fault; frees one that has.
    static func fit(
        _ key: OpaquePointer,
        _ fault: String?,
        source: String,
        half: String
    ) throws(TLSError) -> OpaquePointer {
        guard let fault else { return key }
        EVP_PKEY_free(key)
        throw TLSError(.configuration, "\(source) holds a \(half) key that \(fault)")
    }
}
