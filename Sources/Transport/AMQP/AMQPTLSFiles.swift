import TLS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension AMQPEndpoint {
    /// Returns the TLS context for the endpoint's files; nil for plain `amqp`.
    ///
    /// Reads the files, so do not call it on a busy event loop.
    func makeTLSContext() throws(AMQPConnectError) -> TLSClientContext? { try tls?.makeContext() }
}

extension AMQPEndpoint.TLSFiles {
    /// Reads the files and returns their TLS context.
    func makeContext() throws(AMQPConnectError) -> TLSClientContext {
        var trust = TLSClientContext.Trust.system
        if let path = authorities { trust = .authorities(pem: try Self.read(path), source: path) }
        var identity: TLSClientContext.Identity?
        if let certificate, let key {
            identity = TLSClientContext.Identity(
                certificatePEM: try Self.read(certificate),
                privateKeyPEM: try Self.read(key),
                source: certificate
            )
        }
        do throws(TLSError) {
            return try TLSClientContext(trust: trust, identity: identity, protocols: [])
        } catch {
            throw AMQPConnectError(.configuration, "amqp.url: \(error.message)")
        }
    }

    private static func read(_ path: String) throws(AMQPConnectError) -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            throw AMQPConnectError(.configuration, "amqp.url names \(path), which cannot be read (errno \(errno))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0, bytes.count < 4 << 20 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
