import COpenSSL
import CShims

/// The keys of one message (RFC 8291 section 3.4, RFC 8188 sections 2.2 and 2.3), derived by an inlined HKDF with
/// SHA-256.
///
/// Each HKDF here yields one block, so it is two HMACs (RFC 5869); OpenSSL's HKDF costs several times as much. Holds
/// the memory for one message at a time. Confined to its owner's thread.
final class MessageKeys {
    static let saltBytes = 16
    static let secretBytes = 32

    // The memory layout: the info of section 3.4 with its last byte, then the derived values in order.
    private static let infoBytes = 2 * P256.pointBytes + 1
    private static let digestBytes = 32

    /// The shared secret, written here by the ECDH key agreement.
    let secret: UnsafeMutablePointer<UInt8>
    /// The content encryption key, after `derive`.
    let key: UnsafeMutablePointer<UInt8>
    /// The nonce of the only record, after `derive`.
    let nonce: UnsafeMutablePointer<UInt8>
    private let info: UnsafeMutablePointer<UInt8>
    private let pseudorandom: UnsafeMutablePointer<UInt8>
    private let count: Int

    // The last byte is the block counter (RFC 5869, 2.3).
    private static let webPush = Array("WebPush: info\0".utf8)
    private static let contentEncoding = Array("Content-Encoding: aes128gcm\0\u{1}".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0\u{1}".utf8)

    init() {
        count = Self.secretBytes + Self.infoBytes + 3 * Self.digestBytes
        secret = .allocate(capacity: count)
        secret.initialize(repeating: 0, count: count)
        info = secret + Self.secretBytes
        pseudorandom = info + Self.infoBytes
        key = pseudorandom + Self.digestBytes
        nonce = key + Self.digestBytes
    }

    deinit {
        wipe()
        secret.deallocate()
    }

    /// Derives key and nonce from `secret`, the subscription's authentication secret, the two public keys and the salt.
    func derive(
        authentication: UnsafePointer<UInt8>,
        receiver: UnsafePointer<UInt8>,
        sender: UnsafePointer<UInt8>,
        salt: UnsafePointer<UInt8>
    ) {
        info.update(from: receiver, count: P256.pointBytes)
        (info + P256.pointBytes).update(from: sender, count: P256.pointBytes)
        info[Self.infoBytes - 1] = 1
        let authenticationBytes = WebPushMessage.authenticationBytes
        Self.code(authentication, authenticationBytes, [], secret, Self.secretBytes, into: pseudorandom)
        Self.code(pseudorandom, Self.digestBytes, Self.webPush, info, Self.infoBytes, into: secret)
        Self.code(salt, Self.saltBytes, [], secret, Self.digestBytes, into: pseudorandom)
        Self.code(pseudorandom, Self.digestBytes, Self.contentEncoding, secret, 0, into: key)
        Self.code(pseudorandom, Self.digestBytes, Self.nonceInfo, secret, 0, into: nonce)
    }

    /// Erases everything about the message.
    func wipe() { OPENSSL_cleanse(secret, count) }

    /// HMAC-SHA256 of `beginning` and `rest`.
    private static func code(
        _ key: UnsafePointer<UInt8>,
        _ keyBytes: Int,
        _ beginning: [UInt8],
        _ rest: UnsafePointer<UInt8>,
        _ restBytes: Int,
        into code: UnsafeMutablePointer<UInt8>
    ) {
        var state = c_hmac_sha256()
        c_hmac_sha256_prepare(&state, key, keyBytes, beginning, beginning.count)
        c_hmac_sha256_code(&state, rest, restBytes, code)
        c_hmac_sha256_wipe(&state)
    }
}
