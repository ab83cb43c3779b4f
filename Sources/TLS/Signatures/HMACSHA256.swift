import CShims

// Safety: the state is never changed after init; whoever has the object may read it on any thread.
/// HMAC with SHA-256 (RFC 2104), its key and the beginning of all its messages prepared once.
///
/// A short message costs two rounds of SHA-256 and no allocation. May be used from any thread.
public final class HMACSHA256: @unchecked Sendable {
    private let state: UnsafeMutablePointer<c_hmac_sha256>

    /// Prepares the key, any length, and what every message begins with.
    public init(key: [UInt8], beginning: [UInt8] = []) {
        state = .allocate(capacity: 1)
        c_hmac_sha256_prepare(state, key, key.count, beginning, beginning.count)
    }

    deinit {
        c_hmac_sha256_wipe(state)
        state.deallocate()
    }

    /// The code of a message, 32 bytes; `rest` is what comes after the beginning.
    public func code(_ rest: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        out.withUnsafeMutableBytes { into in
            rest.withUnsafeBytes { self.code($0, into: into) }
        }
        return out
    }

    /// Writes the code of a message into `into`, which must have room for 32 bytes; no allocation.
    public func code(_ rest: UnsafeRawBufferPointer, into: UnsafeMutableRawBufferPointer) {
        guard into.count >= 32, let code = into.baseAddress else {
            preconditionFailure("an HMAC-SHA256 needs 32 bytes")
        }
        c_hmac_sha256_code(state, rest.baseAddress, rest.count, code.assumingMemoryBound(to: UInt8.self))
    }
}
