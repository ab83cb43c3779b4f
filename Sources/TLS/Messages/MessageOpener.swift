import COpenSSL
import CShims

// Safety: the EVP_PKEY never changes after init, and OpenSSL lets several threads derive secrets with one key.
/// Opens the messages of one Web Push subscription (RFC 8291) as the browser does, for simulators and tests.
///
/// May be used from any thread.
public final class MessageOpener: @unchecked Sendable {
    /// The subscription's `p256dh`: an uncompressed point, 65 bytes.
    public let publicKey: [UInt8]
    /// The subscription's `auth`, 16 bytes: a secret.
    public let authentication: [UInt8]
    private let key: OpaquePointer

    /// Creates a subscription with a fresh key.
    ///
    /// Traps when `authentication` does not have 16 bytes; fails only when OpenSSL has no randomness.
    public convenience init(authentication: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        guard let key = c_evp_generate_p256() else {
            throw TLSError.fromQueue(.configuration, "cannot make a P-256 key")
        }
        try self.init(key: key, authentication: authentication)
    }

    /// Creates a subscription from its private key, 32 bytes; traps when `authentication` does not have 16.
    public convenience init(privateKey: [UInt8], authentication: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        guard let key = P256.keyPair(scalar: privateKey) else {
            throw TLSError.fromQueue(.configuration, "a subscription's private key is not a P-256 key of 32 bytes")
        }
        try self.init(key: key, authentication: authentication)
    }

    /// Takes ownership of the key.
    private init(key: OpaquePointer, authentication: [UInt8]) throws(TLSError) {
        precondition(authentication.count == WebPushMessage.authenticationBytes)
        do {
            publicKey = try P256.point(of: key)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.authentication = authentication
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns the private key, 32 bytes: a secret.
    public func privateKey() throws(TLSError) -> [UInt8] {
        var scalar = [UInt8](repeating: 0, count: P256.scalarBytes)
        guard c_evp_p256_scalar(key, &scalar) == 1 else {
            throw TLSError.fromQueue(.message, "cannot write a P-256 key")
        }
        return scalar
    }

    /// Returns the plaintext of a message; throws `message`, with the reason, unless it was sealed for this
    /// subscription.
    ///
    /// Accepts one record of any declared record size, with any padding, and refuses more records (RFC 8291 section 4).
    public func open(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        guard message.count >= WebPushMessage.overheadBytes else {
            throw TLSError(
                .message,
                "a message of \(message.count) bytes; the shortest has \(WebPushMessage.overheadBytes)"
            )
        }
        guard Int(message[WebPushMessage.keyCountAt]) == P256.pointBytes else {
            throw TLSError(.message, "a key of \(message[WebPushMessage.keyCountAt]) bytes; a point of P-256 has 65")
        }
        let size = message[WebPushMessage.recordSizeAt..<WebPushMessage.keyCountAt].reduce(0) { $0 << 8 | Int($1) }
        guard message.count - WebPushMessage.headerBytes <= size else {
            throw TLSError(.message, "more than one record of \(size) bytes; Web Push takes one")
        }
        ERR_clear_error()
        guard let sender = P256.publicKey(point: Array(message[WebPushMessage.keyAt..<WebPushMessage.headerBytes]))
        else {
            throw TLSError.fromQueue(.message, "the sender's key is no point of P-256")
        }
        defer { EVP_PKEY_free(sender) }
        let keys = MessageKeys()
        guard KeyAgreement.secret(of: key, with: sender, into: keys.secret) else {
            throw TLSError.fromQueue(.message, "cannot agree on a key for a message")
        }
        message.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            keys.derive(
                authentication: authentication,
                receiver: publicKey,
                sender: start + WebPushMessage.keyAt,
                salt: start
            )
        }
        return try Self.withoutPadding(Self.decrypt(message, keys))
    }

    private static func decrypt(_ message: [UInt8], _ keys: MessageKeys) throws(TLSError) -> [UInt8] {
        guard let cipher = EVP_CIPHER_CTX_new() else { throw TLSError.fromQueue(.message, "cannot decrypt a message") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let tagAt = message.count - WebPushMessage.tagBytes
        let sealed = Array(message[WebPushMessage.headerBytes..<tagAt])
        var tag = Array(message[tagAt...])
        var plaintext = [UInt8](repeating: 0, count: sealed.count)
        var count: Int32 = 0
        var last: Int32 = 0
        var nothing: UInt8 = 0
        guard EVP_DecryptInit_ex2(cipher, EVP_aes_128_gcm(), keys.key, keys.nonce, nil) == 1,
            EVP_DecryptUpdate(cipher, &plaintext, &count, sealed, Int32(sealed.count)) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_DecryptFinal_ex(cipher, &nothing, &last) == 1, Int(count) == sealed.count, last == 0
        else { throw TLSError.fromQueue(.message, "the message was not sealed for this subscription, or was changed") }
        return plaintext
    }

    private static func withoutPadding(_ record: [UInt8]) throws(TLSError) -> [UInt8] {
        guard let end = record.lastIndex(where: { $0 != 0 }), record[end] == WebPushMessage.delimiter else {
            throw TLSError(.message, "the record does not end as the last of a message")
        }
        return Array(record[..<end])
    }
}
