import TLS
import Testing

@testable import Simulator

@Suite struct FCMTokenTests {
    @Test func `a good assertion gets a token of Google's length that is good for an hour and no longer`() throws {
        let world = try FCMWorld()
        let answer = world.fetch()
        #expect(answer.status == 200)
        let token = try #require(FCMWorld.string("access_token", in: answer))
        #expect(token.hasPrefix("ya29."))
        #expect((1000...1100).contains(token.utf8.count))
        let body = try JSONNode(parsing: answer.body[...])
        #expect(body["expires_in"]?.integer == 3600)
        #expect(body["token_type"]?.string == "Bearer")
        #expect(world.send(FCMSample(), bearer: token).status == 200)
        world.now += 3_599_999
        #expect(world.send(FCMSample(), bearer: token).status == 200)
        world.now += 1
        let late = world.send(FCMSample(), bearer: token)
        #expect(late.status == 401)
        #expect(late.error?["status"]?.string == "UNAUTHENTICATED")
        #expect(late.detail("google.firebase.fcm.v1.FcmError") == nil)
        #expect(world.send(FCMSample(), bearer: world.token()).status == 200)
    }

    @Test func `tokens may be short-lived, differ from each other, and can be revoked`() throws {
        let world = try FCMWorld()
        world.faults.accessTokenSeconds = 5
        let (first, second) = (world.token(), world.token())
        #expect(first != second)
        #expect(world.send(FCMSample(), bearer: first).status == 200)
        world.now += 5000
        #expect(world.send(FCMSample(), bearer: first).status == 401)
        let third = world.token()
        #expect(world.send(FCMSample(), bearer: third).status == 200)
        world.side.revokeCredentials()
        #expect(world.send(FCMSample(), bearer: third).status == 401)
        #expect(world.send(FCMSample(), bearer: world.token()).status == 200)
    }

    @Test(arguments: ["", "Bearer ", "Bearer nonsense", "Basic eDp5"])
    func `without a known token there is no way in`(_ authorization: String) throws {
        let world = try FCMWorld()
        var sample = FCMSample()
        if !authorization.isEmpty { sample.set("authorization", authorization) }
        #expect(world.send(sample).status == 401)
    }

    @Test func `an assertion is refused for what is wrong with it`() throws {
        let world = try FCMWorld()
        let other = try RS256.generateKey().privateKeyPEM
        let now = world.now / 1000
        let cases: [(answer: Answer, error: String)] = [
            (world.fetch(world.claims(issuer: "nobody@example.com")), "invalid_grant"),
            (world.fetch(world.claims(audience: "https://oauth2.example.com/token")), "invalid_grant"),
            (world.fetch(world.claims(lives: 3601)), "invalid_grant"),
            (world.fetch(world.claims(issued: now - 4000)), "invalid_grant"),
            (world.fetch(world.claims(issued: now + 400)), "invalid_grant"),
            (world.fetch(world.claims(lives: 0)), "invalid_grant"),
            (world.fetch(world.claims(scope: nil)), "invalid_scope"),
            (world.fetch(world.claims(scope: "https://www.googleapis.com/auth/drive")), "invalid_scope"),
            (world.fetch(header: #"{"alg":"ES256"}"#), "invalid_grant"),
            (world.fetch(header: #"{"alg":"RS256","kid":"another"}"#), "invalid_grant"),
            (world.fetch(key: other), "invalid_grant"),
            (world.fetch(grantType: "password"), "unsupported_grant_type"),
            (world.fetch(form: "assertion=x"), "invalid_request"),
            (world.fetch(form: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"), "invalid_request"),
            (world.fetch(form: "grant_type=x", contentType: "application/json"), "invalid_request"),
        ]
        for (answer, error) in cases {
            #expect(answer.status == 400)
            #expect(FCMWorld.string("error", in: answer) == error, "\(answer.text)")
            #expect(FCMWorld.string("error_description", in: answer)?.isEmpty == false)
        }
        #expect(world.fetch(world.claims(audience: "https://oauth2.googleapis.com/token")).status == 200)
        #expect(world.fetch(header: #"{"alg":"RS256"}"#).status == 200)
        var statistics = Statistics()
        world.side.addTotals(to: &statistics)
        #expect(statistics.own == ["token_fetches": 2, "token_refusals": UInt64(cases.count)])
    }

    @Test func `the endpoint itself can fail`() throws {
        let world = try FCMWorld()
        world.faults.oauthError = "temporarily_unavailable"
        world.faults.retryAfter = "7"
        let answer = world.fetch()
        #expect(answer.status == 503)
        #expect(answer.retryAfter == "7")
        world.faults.oauthError = "invalid_grant"
        #expect(world.fetch().status == 400)
    }

    @Test func `the service account is written as Google's console gives it out`() throws {
        let account = try PushSimulator.ServiceAccount(projectID: "p-1")
        let document = try JSONNode(parsing: Array(account.json(endpoint: "https://127.0.0.1:1").utf8)[...])
        #expect(document["type"]?.string == "service_account")
        #expect(document["project_id"]?.string == "p-1")
        #expect(document["private_key"]?.string.map { Array($0.utf8) } == account.privateKeyPEM)
        #expect(document["private_key_id"]?.string == account.keyID)
        #expect(document["client_email"]?.string == "fanfare@p-1.iam.gserviceaccount.com")
        #expect(document["token_uri"]?.string == "https://127.0.0.1:1/token")
    }
}
