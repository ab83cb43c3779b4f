import COpenSSL

/// A failure of TLS or of a signature, with the text of OpenSSL's own error queue.
///
/// Never holds keys or plaintext.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure; decides what the caller does next.
    public enum Code: Sendable, Equatable {
        /// A certificate, key or CA that cannot be read or does not match: fix the configuration.
        case configuration
        /// The peer's certificate does not verify: wrong CA, wrong host, expired.
        case verification
        /// The peer speaks none of the requested protocols (ALPN).
        case applicationProtocol
        /// The handshake failed for another reason.
        case handshake
        /// The peer broke the protocol after the handshake.
        case protocolViolation
        /// Creating a signature failed.
        case signature
        /// The peer's public key is no point of its curve, so nothing can be sealed for it.
        case peerKey
        /// A message cannot be opened: it is malformed or was sealed for another key.
        case message
    }

    /// The kind of failure.
    public let code: Code
    /// The event and its location, and the fix where it is known.
    public let message: String

    /// Creates an error; `message` must not hold secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// Creates an error whose message ends with OpenSSL's queued errors; empties the queue.
    static func fromQueue(_ code: Code, _ message: String) -> TLSError {
        let texts = TLSError.drainQueue()
        return TLSError(code, texts.isEmpty ? message : "\(message) (OpenSSL: \(texts))")
    }

    /// Removes all errors from the calling thread's OpenSSL error queue and returns their texts, oldest first.
    private static func drainQueue() -> String {
        var texts: [String] = []
        while true {
            let number = ERR_get_error()
            if number == 0 { break }
            // At most four: a hostile peer must not cause long texts.
            guard texts.count < 4 else { continue }
            if let reason = ERR_reason_error_string(number) {
                texts.append(String(cString: reason))
            } else {
                texts.append("error \(number)")
            }
        }
        return texts.joined(separator: ", ")
    }
}
