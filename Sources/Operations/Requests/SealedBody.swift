import Campaigns
import Delivery
import HTTP2
import PushProviders
import TLS

/// Seals the bodies of a shard's devices, each for one device alone (RFC 8291).
///
/// Sealing costs thirty times as much as the rest of a request, but allocates nothing per device. Confined to its
/// loop.
final class SealedBody {
    private let rule: SealRule
    private let sealer: MessageSealer
    private let plaintext: UnsafeMutableRawBufferPointer
    private let message: UnsafeMutableRawBufferPointer
    private let keys: UnsafeMutableRawBufferPointer

    /// Throws only when OpenSSL fails.
    init(_ rule: SealRule) throws(TLSError) {
        self.rule = rule
        sealer = try MessageSealer()
        plaintext = .allocate(byteCount: WebPushMessage.plaintextBytesMax, alignment: 16)
        message = .allocate(byteCount: WebPushMessage.bytesMax, alignment: 16)
        keys = .allocate(byteCount: SealRule.keyBytes, alignment: 16)
    }

    deinit {
        plaintext.deallocate()
        message.deallocate()
        keys.deallocate()
    }

    /// Sets path and body of a request; returns the reason when there is none.
    ///
    /// `write` receives room for `count` bytes and writes the plaintext.
    func write(
        _ request: inout RequestWriter,
        token: UnsafeRawBufferPointer,
        count: Int,
        _ write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> LeftOut? {
        guard count <= plaintext.count else { return .tooLarge }
        guard let path = rule.read(token, keys) else { return .unreadableToken }
        let text = UnsafeMutableRawBufferPointer(rebasing: plaintext[..<count])
        write(text)
        do throws(TLSError) {
            let bytes = try sealer.seal(
                UnsafeRawBufferPointer(text),
                publicKey: UnsafeRawBufferPointer(rebasing: keys[SealRule.publicKey]),
                authentication: UnsafeRawBufferPointer(rebasing: keys[SealRule.secret]),
                into: message
            )
            request.setBody(UnsafeRawBufferPointer(rebasing: message[..<bytes]))
            request.setPath(UnsafeRawBufferPointer(rebasing: token[path]))
            return nil
        } catch {
            return error.code == .peerKey ? .unreadableToken : .notSealed
        }
    }
}

extension LeftOut {
    /// A rendered body above the provider's size limit.
    fileprivate static let tooLarge = LeftOut(.failed, reason: "PayloadTooLarge")
    /// A token without a key to seal for, or with one that is not a point of its curve.
    fileprivate static let unreadableToken = LeftOut(.failed, reason: "UnreadableToken")
    /// A failure of OpenSSL: out of memory or of randomness.
    static let notSealed = LeftOut(.failed, reason: "NotSealed")
}
