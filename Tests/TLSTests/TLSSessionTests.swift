import TLS
import Testing

@Suite struct TLSSessionTests {
    @Test(arguments: [1, 7, 65_536])
    func `bytes cross in both directions however they are cut`(chunk: Int) throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext()
        )
        try pair.pump(chunk: chunk)
        #expect(pair.client.state == .established)
        #expect(pair.server.state == .established)
        #expect(pair.client.negotiatedProtocol == .h2)
        #expect(pair.server.negotiatedProtocol == .h2)

        let request = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try request.withUnsafeBytes { try pair.client.write($0) }
        try Array("answer".utf8).withUnsafeBytes { try pair.server.write($0) }
        try pair.pump(chunk: chunk)
        #expect(pair.serverPlaintext == request)
        #expect(pair.clientPlaintext == Array("answer".utf8))
    }

    @Test func `ciphertext goes straight into lent memory and only the rest is kept`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext()
        )
        try pair.pump()
        let plaintext = [UInt8](repeating: 0x61, count: 15_000)
        var room = [UInt8](repeating: 0, count: 15_100)
        let filled = try plaintext.withUnsafeBytes { bytes in
            try room.withUnsafeMutableBytes { try pair.client.write(bytes, into: $0) }
        }
        #expect(filled > 15_000)
        #expect(pair.client.pendingBytes == 0)
        try pair.deliverToServer(Array(room.prefix(filled)))
        #expect(pair.serverPlaintext == plaintext)

        var small = [UInt8](repeating: 0, count: 100)
        let fitted = try plaintext.withUnsafeBytes { bytes in
            try small.withUnsafeMutableBytes { try pair.client.write(bytes, into: $0) }
        }
        #expect(fitted == 0)
        #expect(pair.client.pendingBytes > 15_000)
        try pair.pump()
        #expect(pair.serverPlaintext.count == 30_000)
    }

    @Test func `a certificate of another authority is refused before anything is written`() throws {
        let certificates = try TestCertificates()
        let other = try CertificateAuthority(commonName: "somebody else")
        let context = try TLSClientContext(
            trust: .authorities(pem: other.certificatePEM, source: "other")
        )
        var pair = try SessionPair(client: context, server: certificates.serverContext())
        let error = #expect(throws: TLSError.self) { try pair.pump() }
        #expect(error?.code == .verification)
        #expect(error?.message.contains("localhost") == true)
        #expect(pair.client.state == .closed)
    }

    @Test(arguments: ["api.push.apple.com", "127.0.0.2", "ocalhost"])
    func `a certificate for another host is refused`(name: String) throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext(),
            name: name
        )
        let error = #expect(throws: TLSError.self) { try pair.pump() }
        #expect(error?.code == .verification)
    }

    @Test func `an address in the certificate is as good as a name`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext(),
            name: "127.0.0.1"
        )
        try pair.pump()
        #expect(pair.client.state == .established)
    }

    @Test func `a peer without h2 is refused by the client`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext(protocols: [])
        )
        let error = #expect(throws: TLSError.self) { try pair.pump() }
        #expect(error?.code == .applicationProtocol)
        #expect(pair.client.state == .closed)
    }

    @Test func `a client without h2 is refused by the server`() throws {
        let certificates = try TestCertificates()
        let context = try TLSClientContext(trust: certificates.trust, protocols: [ALPNProtocol("http/1.1")])
        var pair = try SessionPair(client: context, server: certificates.serverContext())
        let error = #expect(throws: TLSError.self) { try pair.pump() }
        #expect(error?.code == .applicationProtocol)
    }

    @Test func `without protocols on either side the handshake is plain TLS`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust, protocols: []),
            server: certificates.serverContext(protocols: [])
        )
        try pair.pump()
        #expect(pair.client.state == .established)
        #expect(pair.client.negotiatedProtocol == nil)
    }

    @Test func `a client certificate is shown and verified`() throws {
        let certificates = try TestCertificates()
        let client = try certificates.authority.issueClient(commonName: "com.example.news")
        let server = try TLSServerContext(
            certificatePEM: certificates.server.certificatePEM,
            privateKeyPEM: certificates.server.privateKeyPEM,
            clientCertificates: .optional(authoritiesPEM: certificates.authority.certificatePEM)
        )
        let identity = TLSClientContext.Identity(
            certificatePEM: client.certificatePEM,
            privateKeyPEM: client.privateKeyPEM,
            source: "push.pem"
        )
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust, identity: identity),
            server: server
        )
        try pair.pump()
        #expect(pair.server.hasPeerCertificate)

        var without = try SessionPair(client: TLSClientContext(trust: certificates.trust), server: server)
        try without.pump()
        #expect(without.server.state == .established)
        #expect(!without.server.hasPeerCertificate)
    }

    @Test func `close_notify ends the other side without an error`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext()
        )
        try pair.pump()
        pair.server.close()
        try pair.pump()
        #expect(pair.client.state == .closed)
    }

    @Test func `garbage is an error and never a trap`() throws {
        let certificates = try TestCertificates()
        for length in [5, 6, 100, 70_000] {
            var pair = try SessionPair(
                client: TLSClientContext(trust: certificates.trust),
                server: certificates.serverContext()
            )
            let garbage = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            #expect(throws: TLSError.self) { try pair.deliverToServer(garbage) }
            #expect(throws: TLSError.self) { try pair.deliverToClient(garbage) }
        }
    }

    @Test func `a changed byte after the handshake is an error`() throws {
        let certificates = try TestCertificates()
        var pair = try SessionPair(
            client: TLSClientContext(trust: certificates.trust),
            server: certificates.serverContext()
        )
        try pair.pump()
        try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try pair.client.write($0) }
        var bytes = SessionPair.drain(pair.client)
        bytes[50] ^= 1
        let error = #expect(throws: TLSError.self) { try pair.deliverToServer(bytes) }
        #expect(error?.code == .protocolViolation)
        #expect(pair.serverPlaintext.isEmpty)
    }

    @Test func `unreadable files are named, and their content is not`() throws {
        let secret = Array("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n".utf8)
        let certificates = try TestCertificates()
        let error = #expect(throws: TLSError.self) {
            try TLSServerContext(
                certificatePEM: certificates.server.certificatePEM,
                privateKeyPEM: secret,
                source: "server.pem"
            )
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("server.pem") == true)
        #expect(error?.message.contains("c2VjcmV0") == false)
        #expect(throws: TLSError.self) {
            try TLSClientContext(trust: .authorities(pem: Array("nothing".utf8), source: "ca.pem"))
        }
        let other = try certificates.authority.issueServer(names: ["other"])
        let mismatch = #expect(throws: TLSError.self) {
            try TLSServerContext(
                certificatePEM: certificates.server.certificatePEM,
                privateKeyPEM: other.privateKeyPEM
            )
        }
        #expect(mismatch?.message.contains("does not belong") == true)
    }
}
