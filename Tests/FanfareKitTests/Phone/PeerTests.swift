import Foundation
import Testing

@testable import FanfareKit

/// The kit tests' server refuses exactly what the edge refuses, in its words.
@Suite(.enabled(if: EdgeRules.areThere)) struct PeerTests {
    private static let device = "/v1/devices/7b0c1f6e-0d6d-4a63-9a5e-4b1f3a0a7c11"

    private let peer = Peer()

    private func body(_ text: String) -> Data { Data(text.utf8) }

    private func registration(_ more: String = "") -> String {
        #"{"token": "\#(token("ab"))", "provider": "apns"\#(more)}"#
    }

    /// Returns an answer as `status word pointer`.
    private func answer(
        _ method: String,
        _ path: String,
        _ bearer: String,
        _ text: String? = nil,
        proof: String? = nil,
        message: String? = nil
    ) async throws -> String {
        var request = EdgeRequest(method: method, path: path, bearer: bearer, userProof: proof, body: text.map(body))
        request.headers["fanfare-message"] = message
        let reply = try await peer.send(request)
        let json = try? JSONDecoder().decode(JSON.self, from: reply.body)
        let words = [String(reply.status), json?["status"]?.string, json?["pointer"]?.string]
        return words.compactMap(\.self).joined(separator: " ")
    }

    /// Returns the secret of a newly registered device.
    private func registered() async throws -> String {
        #expect(try await answer("PUT", Self.device, Peer.key, registration()) == "201 registered")
        return try #require(await peer.devices.values.first?.secret)
    }

    @Test func `who asks shows the key of the app to register, and the device's own secret for everything else`()
        async throws
    {
        #expect(try await answer("PUT", Self.device, "", registration()) == "401 integration_key_empty")
        #expect(try await answer("PUT", Self.device, "fik_other", registration()) == "403 integration_key_unknown")
        let secret = try await registered()
        let session = #"{"id": "\#(UUID())", "started_at": "2026-09-21T14:13:20Z"}"#
        #expect(try await answer("POST", "/v1/sessions", Peer.key, session) == "403 integration_key_unknown")
        #expect(try await answer("POST", "/v1/sessions", secret, session) == "200")
        #expect(try await answer("PUT", "/v1/devices/other", secret, registration()) == "403 integration_key_unknown")
        #expect(try await answer("PUT", Self.device, secret, registration()) == "200 registered")
        // The id belongs to another device, unless the token proves otherwise.
        let other = registration().replacingOccurrences(of: token("ab"), with: token("cd"))
        #expect(try await answer("PUT", Self.device, Peer.key, other) == "409 device_exists")
        #expect(try await answer("PUT", Self.device, Peer.key, registration()) == "200 registered")
        #expect(try await answer("POST", "/v1/sessions", secret, session) == "403 integration_key_unknown")
        #expect(try await answer("GET", "/v1/devices", Peer.key) == "403 integration_key_unknown")
    }

    @Test(arguments: [
        (#"{"token": "ab", "provider": "apns"}"#, "422 token_invalid /token"),
        (#"{"provider": "apns"}"#, "422 token_invalid /provider"),
        (#"{"token": "abc", "provider": "pigeon"}"#, "422 token_invalid /provider"),
        (#"{"permission": "perhaps"}"#, "422 unexpected_error /permission"),
        (#"{"locale": "es_ES@calendar=buddhist"}"#, "422 unexpected_error /locale"),
        (#"{"time_zone": "on Mars"}"#, "422 unexpected_error /time_zone"),
        (#"{"app_version": "the newest"}"#, "422 unexpected_error /app_version"),
        (#"{"badge": -1}"#, "422 unexpected_error /badge"),
        (#"{"tags": {"add": [""]}}"#, "422 unexpected_error /tags/add"),
        (#"{"name": "Ana's phone"}"#, "422 unexpected_error /name"), ("{", "422 unexpected_error"),
    ])
    func `a registration with a field that the edge does not take is refused`(
        text: String,
        answered: String
    ) async throws {
        let answer = try await answer("PUT", Self.device, Peer.key, text)
        #expect(answer.hasPrefix(answered))
    }

    @Test func `a user is believed with the word of the app's back end`() async throws {
        await peer.vouch(["ana": "word"])
        let text = registration(#", "user": "ana""#)
        for proof in [nil, "", "of another"] {
            let answer = try await answer("PUT", Self.device, Peer.key, text, proof: proof)
            #expect(answer == "403 user_not_verified /user")
        }
        #expect(try await answer("PUT", Self.device, Peer.key, text, proof: "word") == "201 registered")
    }

    @Test func `events and answers are taken with a signed id, answers with that of their own poll`() async throws {
        let secret = try await registered()
        func event(_ message: String) -> String {
            #"{"events": [{"id": "\#(UUID())", "m": "\#(message)", "type": "opened", "at": "2026-09-21T14:13:20Z"}]}"#
        }
        let made = String(repeating: "A", count: 22)
        #expect(try await answer("POST", "/v1/tracking", secret, event(made)) == "422 unexpected_error /events/0/m")
        #expect(try await answer("POST", "/v1/tracking", secret, event(signed("m"))) == "202 accepted")

        let choices = #"[{"id": "a", "title": "A"}]"#
        let page = #"{"title": "W", "questions": [{"id": "q", "title": "Q", "select": "one", "choices": \#(choices)}]}"#
        await peer.serve("who", type: "application/json", body(page), isCampaigns: true)
        func answers(_ message: String, _ choice: String) -> String {
            let all = #"[{"question": "q", "choices": ["\#(choice)"]}]"#
            return #"{"m": "\#(message)", "at": "2026-09-21T14:13:20Z", "answers": \#(all)}"#
        }
        let path = "/v1/polls/who/answers"
        #expect(try await answer("POST", path, secret, answers(made, "a")) == "422 unexpected_error /m")
        let anothers = signed("m", of: "derby")
        #expect(try await answer("POST", path, secret, answers(anothers, "a")) == "404 unexpected_error /m")
        let own = signed("m", of: "who")
        let wrong = try await answer("POST", path, secret, answers(own, "b"))
        #expect(wrong == "422 unexpected_error /answers/0/choices/0")
        #expect(try await answer("POST", path, secret, answers(own, "a")) == "202 accepted")
        #expect(try await answer("POST", "/v1/polls/who", secret, answers(own, "a")) == "404 unexpected_error")
    }

    @Test func `a campaign's content is for those who show the signed id of its push`() async throws {
        let secret = try await registered()
        await peer.serve("offer", type: "application/json", body("{}"), isCampaigns: true)
        await peer.serve("coupon", type: "application/json", body("{}"))
        let path = "/v1/messages/offer"
        #expect(try await answer("GET", path, secret) == "404 unexpected_error")
        #expect(try await answer("GET", path, secret, message: signed("m", of: "derby")) == "404 unexpected_error")
        #expect(try await answer("GET", path, secret, message: signed("m", of: "offer")) == "200")
        #expect(try await answer("GET", "/v1/messages/coupon", secret) == "200")
    }
}
