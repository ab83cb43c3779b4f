import CShims

// Safety: the state never changes after init, so any thread may read it.
/// HMAC with SHA-256 (RFC 2104), prepared once for a key and for the common beginning of its messages.
///
/// A short message costs two rounds of SHA-256 and no allocation. May be used from any thread.
public final class HMACSHA256: @unchecked Sendable {
    private let state: UnsafeMutablePointer<c_hmac_sha256>

    /// Prepares a key of any length and the common beginning of the messages.
    public init(key: [UInt8], beginning: [UInt8] = []) {
        state = .allocate(capacity: 1)
        c_hmac_sha256_prepare(state, key, key.count, beginning, beginning.count)
    }

    deinit {
        c_hmac_sha256_wipe(state)
        state.deallocate()
    }

    /// Returns the code of a message, 32 bytes; `rest` is the part after the beginning.
    public func code(_ rest: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        out.withUnsafeMutableBytes { into in
            rest.withUnsafeBytes { code($0, into: into) }
        }
        return out
    }

    /// Writes the code of a message into `into`, which must have room for 32 bytes; allocates nothing.
    public func code(_ rest: UnsafeRawBufferPointer, into: UnsafeMutableRawBufferPointer) {
        guard into.count >= 32, let code = into.baseAddress else {
            preconditionFailure("an HMAC-SHA256 needs 32 bytes")
        }
        c_hmac_sha256_code(state, rest.baseAddress, rest.count, code.assumingMemoryBound(to: UInt8.self))
    }

    /// Computes the first eight bytes of the codes of many short messages, as big-endian numbers.
    ///
    /// Several are computed at a time, so that one costs a fraction of ``code(_:into:)``. `rests` holds for each
    /// message the `restBytes` bytes after the beginning. Traps unless `codes` has one element per message.
    public func shortCodes(
        _ rests: UnsafeRawBufferPointer,
        restBytes: Int,
        into codes: UnsafeMutableBufferPointer<UInt64>
    ) {
        precondition(rests.count == restBytes * codes.count, "\(rests.count) bytes for \(codes.count) messages")
        guard let first = rests.baseAddress, let into = codes.baseAddress else { return }
        c_hmac_sha256_short_codes(
            state,
            first.assumingMemoryBound(to: UInt8.self),
            restBytes,
            codes.count,
            into
        )
    }
}
