import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// A push to one user by HTTP, from the request to the phone's events, through the built program.
    @Suite("Sends")
    struct Sends {
        private static let page = "<p>Ten percent</p>"

        private func ask(
            _ edge: Phone.Edge,
            _ method: String,
            _ path: String,
            _ body: String? = nil,
            bearer: String = ""
        ) async throws -> (status: Int, json: JSONValue, text: String) {
            let answer = try await edge.ask(method, path, bearer: bearer, bytes: body.map { Data($0.utf8) })
            let text = String(decoding: answer.body, as: UTF8.self)
            return (answer.status, JSONReader.read(Array(answer.body)).value ?? .null, text)
        }

        @Test func `a user gets a push with content in one request, and whether it was read is told`() async throws {
            try await PrivateFleet.with { fleet in
                let (edge, key) = try await fleet.startEdge()
                _ = try await fleet.startWorker()
                let token = TestDevices.tokens(1)[0]
                let phone = try await Phone(id: "ana-iphone", token: token)
                    .registered(edge, key: key, [JSONMember("user", "ana")])
                let rich =
                    #"{"type": "coupon", "id": "c-9", "content_type": "text/html", "body": "\#(Self.page)"}"#
                let body =
                    #"{"id": "coupon-9", "app": "news", "user": "ana", "content": {"title": "For you", "rich": \#(rich)}}"#
                let sent = try await ask(edge, "POST", "/v1/sends", body)
                #expect(sent.status == 202, "\(sent.text)")
                _ = try await fleet.completed("coupon-9")
                let push = try #require(try fleet.pushes()[token])
                #expect(push["r"] == "c-9" && push["t"] == "coupon")
                let content = try await ask(edge, "GET", "/v1/messages/c-9", bearer: phone.secret)
                #expect(content.status == 200 && content.text == Self.page)

                let unread = try await ask(edge, "GET", "/v1/sends/coupon-9").json["devices"]?.array?.first
                #expect(unread?["outcome"] == "accepted" && unread?["id"] == "ana-iphone" && unread?["read"] == false)
                let at = TestClock.now().rfc3339
                let events = [("displayed", 1), ("opened", 2)].map { type, number in
                    #"{"id": "0a1b2c3d-0000-4000-8000-00000000000\#(number)", "m": "\#(push["m"]?.string ?? "")", "#
                        + #""type": "\#(type)", "surface": "system", "at": "\#(at)"}"#
                }
                for (count, wanted) in [(1, false), (2, true)] {
                    let told = #"{"events": [\#(events.prefix(count).joined(separator: ", "))]}"#
                    let answer = try await ask(edge, "POST", "/v1/tracking", told, bearer: phone.secret)
                    #expect(answer.status == 202, "\(answer.text)")
                    let device = try await eventually("what the phone said is in the ledger") {
                        let device = try await ask(edge, "GET", "/v1/sends/coupon-9").json["devices"]?.array?.first
                        return device?["told"]?.array?.count == count ? device : nil
                    }
                    #expect(device["read"] == .bool(wanted) && device["displayed_at"] == .string(at))
                    #expect(device["read_at"] == (wanted ? .string(at) : .null))
                    let trace = try await fleet.run("device", "trace", "--user", "ana", "--app", "news")
                    let row = try #require(trace.output.split(separator: "\n").first { $0.hasPrefix("read") })
                    #expect(row.hasSuffix(wanted ? "yes, \(at)" : "no, but on the screen at \(at)"), "\(row)")
                }
                let traced = try await fleet.run("device", "trace", "ana-iphone", "--app", "news", "--json")
                let first = JSONReader.read(Array(traced.output.utf8)).value?.array?.first
                #expect(first?["read"] == true && first?["told"]?.array?.compactMap { $0["type"]?.string }.count == 2)
            }
        }
    }
}
