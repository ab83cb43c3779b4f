import COpenSSL

/// A failure of TLS or of a signature, with the text of OpenSSL's own error queue.
///
/// Never holds keys or plaintext.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure it is; decides what the caller does next.
    public enum Code: Sendable, Equatable {
        /// A certificate, key or CA that cannot be read or does not fit: mend the configuration.
        case configuration
        /// The peer's certificate does not verify: wrong CA, wrong host, expired.
        case verification
        /// The peer does not speak any of the protocols that were asked for (ALPN).
        case applicationProtocol
        /// The handshake failed for another reason.
        case handshake
        /// The peer broke the protocol after the handshake.
        case protocolViolation
        /// A signature could not be made.
        case signature
        /// A peer's public key is no point of its curve: nothing can be sealed for it.
        case peerKey
        /// A message cannot be opened: it is malformed, or was sealed for another key.
        case message
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, where, and how to mend it where that is known.
    public let message: String

    /// Makes an error; `message` must not hold secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }

    /// An error whose message ends with what OpenSSL has queued; empties the queue.
    static func fromQueue(_ code: Code, _ message: String) -> TLSError {
        let texts = TLSError.drainQueue()
        return TLSError(code, texts.isEmpty ? message : "\(message) (OpenSSL: \(texts))")
    }

    /// Takes everything out of the calling thread's OpenSSL error queue, first to last.
    private static func drainQueue() -> String {
        var texts: [String] = []
        while true {
            let number = ERR_get_error()
            if number == 0 { break }
            // At most four: a hostile peer must not make long texts.
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
