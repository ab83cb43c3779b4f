import COpenSSL

/// An earlier session's state with which a later connection to the same peer resumes it: no certificate is shown and
/// verified again, and no signature is made (RFC 8446 section 2.2).
///
/// Valid only for the context and server name of its session, because the resumed session relies on that session's
/// verification. Confined to one thread.
public final class TLSResumption {
    let session: OpaquePointer

    /// Takes ownership of one reference to `session`.
    init(session: OpaquePointer) { self.session = session }

    deinit { SSL_SESSION_free(session) }

    /// True if it may still be offered; false after its connection broke off.
    var isUsable: Bool { SSL_SESSION_is_resumable(session) == 1 }
}

extension TLSSession {
    /// The state with which a later session can be resumed; nil until the peer has sent a ticket.
    public var resumption: TLSResumption? {
        guard state == .established, let session = copySession() else { return nil }
        let resumption = TLSResumption(session: session)
        return resumption.isUsable ? resumption : nil
    }
}
