import COpenSSL
import CShims

/// Seals messages for Web Push subscriptions (RFC 8291) as the application server.
///
/// Each message has a fresh key pair and a fresh salt (RFC 8291 section 3.1, RFC 8188 section 3.1); contexts and memory
/// are reused. Confined to one thread at a time: each event loop has its own sealer.
///
/// A message costs about 0.1 ms of CPU at any size (measured with OpenSSL 3.0.19 on a shared core), more than thirty
/// times the rest of a push. Half of it is the multiplication of the receiver's point, a sixth the new key.
public final class MessageSealer {
    /// A predetermined key and salt for one message, for tests with known vectors.
    ///
    /// Never use it twice.
    public struct Chance {
        let privateKey: [UInt8]
        let salt: [UInt8]

        /// Takes a P-256 private key of 32 bytes and a salt of 16; traps at other lengths.
        public init(privateKey: [UInt8], salt: [UInt8]) {
            precondition(privateKey.count == P256.scalarBytes && salt.count == WebPushMessage.saltBytes)
            self.privateKey = privateKey
            self.salt = salt
        }
    }

    private let generator: OpaquePointer
    private let receiver: OpaquePointer
    private let cipher: OpaquePointer
    private let keys = MessageKeys()

    /// Creates the contexts; fails only when OpenSSL is out of memory or lacks an algorithm.
    public init() throws(TLSError) {
        ERR_clear_error()
        let generator = c_evp_p256_generator()
        // Any key will do: each message replaces its point with its receiver's.
        let receiver = c_evp_generate_p256()
        let cipher = EVP_CIPHER_CTX_new()
        guard let generator, let receiver, let cipher,
            EVP_EncryptInit_ex2(cipher, EVP_aes_128_gcm(), nil, nil, nil) == 1
        else {
            EVP_PKEY_CTX_free(generator)
            EVP_PKEY_free(receiver)
            EVP_CIPHER_CTX_free(cipher)
            throw TLSError.fromQueue(.configuration, "OpenSSL cannot seal messages for Web Push")
        }
        self.generator = generator
        self.receiver = receiver
        self.cipher = cipher
    }

    deinit {
        EVP_PKEY_CTX_free(generator)
        EVP_PKEY_free(receiver)
        EVP_CIPHER_CTX_free(cipher)
    }

    /// Seals `plaintext` for one subscription into `room`; returns the message's bytes, which are as many as the
    /// plaintext's plus `WebPushMessage.overheadBytes`.
    ///
    /// `publicKey` is the subscription's `p256dh`, 65 bytes; `authentication` is its `auth`, 16 bytes. Traps at other
    /// lengths, when the plaintext is too long, and when `room` is too short or overlaps the plaintext. Throws
    /// `peerKey` for an invalid public key, and `message` when OpenSSL fails.
    public func seal(
        _ plaintext: UnsafeRawBufferPointer,
        publicKey: UnsafeRawBufferPointer,
        authentication: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawBufferPointer,
        chance: Chance? = nil
    ) throws(TLSError) -> Int {
        let count = plaintext.count + WebPushMessage.overheadBytes
        precondition(plaintext.count <= WebPushMessage.plaintextBytesMax && room.count >= count)
        precondition(publicKey.count == WebPushMessage.publicKeyBytes)
        precondition(authentication.count == WebPushMessage.authenticationBytes)
        guard let message = room.bindMemory(to: UInt8.self).baseAddress,
            let point = publicKey.bindMemory(to: UInt8.self).baseAddress,
            let secret = authentication.bindMemory(to: UInt8.self).baseAddress
        else { preconditionFailure("a message without memory") }
        ERR_clear_error()
        guard c_evp_p256_set_point(receiver, point) == 1 else {
            throw TLSError.fromQueue(.peerKey, "a subscription's p256dh is no point of P-256")
        }
        defer { keys.wipe() }
        try begin(message, chance: chance)
        keys.derive(
            authentication: secret,
            receiver: point,
            sender: message + WebPushMessage.keyAt,
            salt: message
        )
        try encrypt(plaintext, to: message + WebPushMessage.headerBytes)
        return count
    }

    /// Writes the header and derives the shared secret.
    private func begin(_ message: UnsafeMutablePointer<UInt8>, chance: Chance?) throws(TLSError) {
        var sender: OpaquePointer?
        let isSalted: Bool
        if let chance {
            sender = P256.keyPair(scalar: chance.privateKey)
            message.update(from: chance.salt, count: WebPushMessage.saltBytes)
            isSalted = true
        } else {
            if EVP_PKEY_generate(generator, &sender) != 1 { sender = nil }
            isSalted = RAND_bytes(message, Int32(WebPushMessage.saltBytes)) == 1
        }
        defer { EVP_PKEY_free(sender) }
        guard let sender, isSalted, c_evp_p256_point(sender, message + WebPushMessage.keyAt) == 1,
            KeyAgreement.secret(of: sender, with: receiver, into: keys.secret)
        else { throw TLSError.fromQueue(.message, "cannot agree on a key for a message") }
        let size = UInt32(WebPushMessage.bytesMax).bigEndian
        UnsafeMutableRawPointer(message).storeBytes(
            of: size,
            toByteOffset: WebPushMessage.recordSizeAt,
            as: UInt32.self
        )
        message[WebPushMessage.keyCountAt] = UInt8(P256.pointBytes)
    }

    /// Writes the record: the plaintext, the delimiter without padding, the tag.
    private func encrypt(
        _ plaintext: UnsafeRawBufferPointer,
        to sealed: UnsafeMutablePointer<UInt8>
    ) throws(TLSError) {
        var delimiter = WebPushMessage.delimiter
        var first: Int32 = 0
        var second: Int32 = 0
        var last: Int32 = 0
        let bytes = plaintext.bindMemory(to: UInt8.self).baseAddress
        guard EVP_EncryptInit_ex2(cipher, nil, keys.key, keys.nonce, nil) == 1,
            plaintext.isEmpty || EVP_EncryptUpdate(cipher, sealed, &first, bytes, Int32(plaintext.count)) == 1,
            EVP_EncryptUpdate(cipher, sealed + Int(first), &second, &delimiter, 1) == 1,
            EVP_EncryptFinal_ex(cipher, sealed + Int(first + second), &last) == 1,
            Int(first + second + last) == plaintext.count + 1,
            EVP_CIPHER_CTX_ctrl(
                cipher,
                EVP_CTRL_AEAD_GET_TAG,
                Int32(WebPushMessage.tagBytes),
                sealed + plaintext.count + 1
            ) == 1
        else { throw TLSError.fromQueue(.message, "cannot encrypt a message") }
    }
}

/// ECDH on P-256 (RFC 8291 section 3.1).
enum KeyAgreement {
    /// Writes the 32 bytes of the shared secret.
    ///
    /// The maker of `peer` has checked that its point is on the curve. No other check is needed: the group's order is
    /// prime and its cofactor 1 (SP 800-56A, 5.6.2.3.4), and OpenSSL's own check would double the cost.
    static func secret(of own: OpaquePointer, with peer: OpaquePointer, into: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, own, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        var count = MessageKeys.secretBytes
        return EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1
            && EVP_PKEY_derive(context, into, &count) == 1 && count == MessageKeys.secretBytes
    }
}
