import Campaigns
import Foundation

/// The system's clock, which the commands use too.
enum CommandTime {
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// Jobs as texts, with one property changed.
enum Jobs {
    static let token = String(repeating: "0a", count: 32)

    /// Returns a valid job, unless the arguments make it invalid; nil leaves out the audience.
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

    /// Returns content whose payload for APNs has exactly so many bytes.
    static func content(payloadBytes: Int) -> String {
        let empty = #"{"aps":{"alert":{"title":""}}}"#
        return #"{"title": "\#(String(repeating: "t", count: payloadBytes - empty.utf8.count))"}"#
    }
}
