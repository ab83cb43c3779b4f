import TLS
import Testing

@Suite struct TLSResumptionTests {
    private static func established(
        _ client: TLSClientContext,
        _ server: TLSServerContext,
        resumption: TLSResumption? = nil
    ) throws -> SessionPair {
        var pair = try SessionPair(client: client, server: server, resumption: resumption)
        try pair.pump()
        return pair
    }

    @Test func `a later session goes on where an earlier one was, and so does the one after it`() throws {
        let certificates = try TestCertificates()
        let (client, server) = (try TLSClientContext(trust: certificates.trust), try certificates.serverContext())
        var pair = try Self.established(client, server)
        #expect(!pair.client.isResumed)
        for _ in 0..<3 {
            let resumption = try #require(pair.client.resumption)
            pair = try Self.established(client, server, resumption: resumption)
            #expect(pair.client.isResumed)
            #expect(pair.client.negotiatedProtocol == .h2)
            try Array("request".utf8).withUnsafeBytes { try pair.client.write($0) }
            try pair.pump()
            #expect(pair.serverPlaintext == Array("request".utf8))
        }
    }

    @Test func `a session whose connection just ended is resumed all the same`() throws {
        let certificates = try TestCertificates()
        let (client, server) = (try TLSClientContext(trust: certificates.trust), try certificates.serverContext())
        let resumption = try #require(try Self.established(client, server).client.resumption)
        #expect(try Self.established(client, server, resumption: resumption).client.isResumed)
    }

    @Test func `a server that does not know the ticket is verified from the beginning`() throws {
        let certificates = try TestCertificates()
        let client = try TLSClientContext(trust: certificates.trust)
        let resumption = try #require(
            try Self.established(client, certificates.serverContext()).client.resumption
        )
        let other = try Self.established(client, certificates.serverContext(), resumption: resumption)
        #expect(other.client.state == .established)
        #expect(!other.client.isResumed)

        let stranger = try TestCertificates()
        var pair = try SessionPair(client: client, server: stranger.serverContext(), resumption: resumption)
        let error = #expect(throws: TLSError.self) { try pair.pump() }
        #expect(error?.code == .verification)
    }

    @Test func `a session with broken ciphertext is not resumed`() throws {
        let certificates = try TestCertificates()
        let (client, server) = (try TLSClientContext(trust: certificates.trust), try certificates.serverContext())
        var broken: SessionPair? = try Self.established(client, server)
        let resumption = try #require(broken?.client.resumption)
        #expect(throws: TLSError.self) {
            try broken?.deliverToClient([23, 3, 3, 0, 32] + Array(repeating: 0, count: 32))
        }
        broken = nil
        #expect(try !Self.established(client, server, resumption: resumption).client.isResumed)
    }
}
