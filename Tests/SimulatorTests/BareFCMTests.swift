import HTTP2
import Simulator
import TLS
import Testing

@Suite(.timeLimit(.minutes(10))) struct BareFCMTests {
    @Test func `the bare server gives an access token to a form and a name to every message`() async throws {
        let authority = try CertificateAuthority(commonName: "Bare test")
        let identity = try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"])
        var behaviour = BareBehaviour()
        behaviour.playsFCM = true
        behaviour.deadEvery = 4
        let server = try await BareServer.start(
            host: "127.0.0.1",
            port: 0,
            loops: 1,
            tls: TLSServerContext(
                certificatePEM: identity.certificatePEM,
                privateKeyPEM: identity.privateKeyPEM,
                source: "the test's certificate"
            ),
            behaviour: behaviour
        )
        let context = try TLSClientContext(trust: .authorities(pem: authority.certificatePEM, source: "the authority"))
        let form = TestRequest(path: "/token", body: "grant_type=x")
        let message = TestRequest(path: "/v1/projects/p/messages:send", body: #"{"message":{}}"#)
        let requests = [form] + Array(repeating: message, count: 4) + [form, message]
        let run = try await TestClient.send(requests, fields: [], to: server.port, context: context)
        #expect(run.statuses == [200, 200, 200, 200, 404, 200, 200])
        for index in [0, 5] {
            let body = run.answers[index]?.body ?? ""
            #expect(body.hasPrefix(#"{"access_token":"ya29."#))
            #expect(body.hasSuffix(#"","expires_in":3600,"token_type":"Bearer"}"#))
            #expect(body.utf8.count > 1000)
        }
        #expect(run.answers[1]?.body.contains(#""name": "projects/"#) == true)
        #expect(run.answers[6]?.body.contains(#""name": "projects/"#) == true)
        #expect(run.answers[4]?.body.contains(#""errorCode": "UNREGISTERED""#) == true)
        #expect(server.counts.answered == 5)
        #expect(server.counts.tokenFetches == 2)
        #expect(server.counts.dead == 1)
        try await server.stop()
    }
}
