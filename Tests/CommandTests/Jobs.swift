import Campaigns
import Foundation

/// The system's clock, which the commands read too.
enum CommandTime {
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// Jobs as texts, with one thing about them changed.
enum Jobs {
    static let token = String(repeating: "0a", count: 32)

    /// A good job, unless what is given is not; without an audience when that is nil.
    static func text(
        id: String = "derby",
        audience: String? = #"{"devices": [{"token": "\#(token)"}]}"#,
        content: String = #"{"title": "Kick-off"}"#,
        delivery: String = #"{"ttl": 600}"#
    ) -> String {
        let members = [
            #""id": "\#(id)", "app": "news""#, #""content": \#(content)"#, audience.map { #""audience": \#($0)"# },
            #""delivery": \#(delivery)"#,
        ]
        return "{" + members.compactMap { $0 }.joined(separator: ", ") + "}"
    }

    /// Content whose payload for APNs has just so many bytes.
    static func content(payloadBytes: Int) -> String {
        let empty = #"{"aps":{"alert":{"title":""}}}"#
        return #"{"title": "\#(String(repeating: "t", count: payloadBytes - empty.utf8.count))"}"#
    }
}
