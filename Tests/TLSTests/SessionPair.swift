import TLS

/// A client and a server session whose ciphertext is carried by hand.
struct SessionPair {
    let client: TLSSession
    let server: TLSSession
    var clientPlaintext: [UInt8] = []
    var serverPlaintext: [UInt8] = []

    init(
        client: TLSClientContext,
        server: TLSServerContext,
        name: String = "localhost",
        resumption: TLSResumption? = nil
    ) throws {
        self.client = try TLSSession(client: client, serverName: name, resumption: resumption)
        self.server = try TLSSession(server: server)
        try self.client.start()
    }

    /// Carries bytes until neither side has any left; `chunk` bytes at a time.
    mutating func pump(chunk: Int = 65_536) throws {
        while self.client.pendingBytes > 0 || self.server.pendingBytes > 0 {
            let toServer = SessionPair.drain(self.client)
            for start in stride(from: 0, to: toServer.count, by: chunk) {
                try self.deliverToServer(Array(toServer[start..<min(start + chunk, toServer.count)]))
            }
            let toClient = SessionPair.drain(self.server)
            for start in stride(from: 0, to: toClient.count, by: chunk) {
                try self.deliverToClient(Array(toClient[start..<min(start + chunk, toClient.count)]))
            }
        }
    }

    mutating func deliverToServer(_ bytes: [UInt8]) throws {
        var received: [UInt8] = []
        try bytes.withUnsafeBytes { raw in try self.server.receive(raw) { received += Array($0) } }
        self.serverPlaintext += received
    }

    mutating func deliverToClient(_ bytes: [UInt8]) throws {
        var received: [UInt8] = []
        try bytes.withUnsafeBytes { raw in try self.client.receive(raw) { received += Array($0) } }
        self.clientPlaintext += received
    }

    static func drain(_ session: TLSSession) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: session.pendingBytes)
        let count = bytes.withUnsafeMutableBytes { session.drain(into: $0) }
        return Array(bytes.prefix(count))
    }
}

/// An authority with a certificate for localhost and 127.0.0.1.
struct TestCertificates {
    let authority: CertificateAuthority
    let server: CertificateAuthority.Identity

    init(names: [String] = ["localhost"], addresses: [String] = ["127.0.0.1"]) throws {
        self.authority = try CertificateAuthority(commonName: "test authority")
        self.server = try self.authority.issueServer(names: names, addresses: addresses)
    }

    var trust: TLSClientContext.Trust {
        .authorities(pem: self.authority.certificatePEM, source: "the test's CA")
    }

    func serverContext(protocols: [ALPNProtocol] = [.h2]) throws -> TLSServerContext {
        try TLSServerContext(
            certificatePEM: self.server.certificatePEM,
            privateKeyPEM: self.server.privateKeyPEM,
            protocols: protocols
        )
    }
}
