import Campaigns
import Foundation
import Testing

/// A phone's tokens for Live Activities of the type `Match`; the one without an id starts them.
extension Phone {
    /// Returns the member of a registration that names all of a phone's tokens.
    static func activities(_ tokens: [(id: String?, token: String)]) -> JSONMember {
        let named = tokens.map { activity in
            JSONValue.object([
                "type": "Match", "id": activity.id.map(JSONValue.string), "token": .string(activity.token),
            ])
        }
        return JSONMember("activities", .array(named))
    }

    /// Says all of the phone's tokens anew, as the kit does when one of them changes.
    func says(_ tokens: [(id: String?, token: String)], to edge: Edge) async throws {
        let body = JSONValue.object([Self.activities(tokens)])
        let answer = try await edge.ask("PUT", "/v1/devices/\(id)", bearer: secret, body: body)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }
}
