import COpenSSL

/// What a later connection to the same peer needs to begin where an earlier one was: no certificate is shown and
/// verified again, no signature made (RFC 8446 section 2.2).
///
/// Only for the context and server name of the session that it comes from, whose verification it stands for. Confined
/// to one thread.
public final class TLSResumption {
    let session: OpaquePointer

    /// Takes over one reference to `session`.
    init(session: OpaquePointer) { self.session = session }

    deinit { SSL_SESSION_free(self.session) }

    /// Whether it may still be offered; not after its connection broke off.
    var isUsable: Bool { SSL_SESSION_is_resumable(self.session) == 1 }
}

extension TLSSession {
    /// What a later session can be resumed with; nil while the peer has given no ticket.
    public var resumption: TLSResumption? {
        guard self.state == .established, let session = self.copySession() else { return nil }
        let resumption = TLSResumption(session: session)
        return resumption.isUsable ? resumption : nil
    }
}
