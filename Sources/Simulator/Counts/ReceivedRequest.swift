import Synchronization

/// One of the last requests, as a test wants to see it.
public struct ReceivedRequest: Sendable, Equatable {
    /// The status that it was answered with; 0 when it got no answer.
    public let status: Int
    /// The reason of the answer; nil for 200.
    public let reason: String?
    /// The path, such as `/3/device/<token>`.
    public let path: String
    /// The `apns-…` header fields that came; `authorization` is left out.
    public let headers: [String: String]
    /// The body's bytes, at most 5120 of them.
    public let payload: [UInt8]

    /// The request as a JSON object, the payload as text.
    public var json: String {
        let fields = headers.sorted { $0.key < $1.key }.map {
            "\(JSONNode.quoted($0.key)):\(JSONNode.quoted($0.value))"
        }
        let reason = reason.map(JSONNode.quoted) ?? "null"
        return "{\"status\":\(status),\"reason\":\(reason),\"path\":\(JSONNode.quoted(path)),"
            + "\"headers\":{\(fields.joined(separator: ","))},"
            + "\"payload\":\(JSONNode.quoted(String(decoding: payload, as: UTF8.self)))}"
    }

    init(_ request: APNsRequest, status: Int, reason: APNsReason?) {
        func text(_ field: APNsRequest.Field) -> String? { request[field].map { String(decoding: $0, as: UTF8.self) } }
        self.status = status
        self.reason = reason?.rawValue
        path = text(.path) ?? ""
        var headers: [String: String] = [:]
        let shown: [(APNsRequest.Field, String)] = [
            (.topic, "apns-topic"), (.pushType, "apns-push-type"), (.id, "apns-id"),
            (.expiration, "apns-expiration"), (.priority, "apns-priority"), (.collapseID, "apns-collapse-id"),
        ]
        for (field, name) in shown { headers[name] = text(field) }
        self.headers = headers
        payload = request.body
    }
}

/// The last requests; buffers are swapped in, never copied.
final class LastRequests: Sendable {
    private struct Ring {
        var slots: [(request: APNsRequest, status: Int, reason: APNsReason?)] = []
        var next = 0
    }

    private let most: Int
    private let ring = Mutex(Ring())

    /// Keeps so many, at least one.
    init(most: Int) {
        self.most = max(1, most)
    }

    /// Takes `request` and gives back an older buffer in its place.
    func keep(_ request: inout APNsRequest, reaction: Reaction) {
        var (status, reason) = (0, APNsReason?.none)
        if case .answer(let answer) = reaction { (status, reason) = (answer.status, answer.reason) }
        ring.withLock { ring in
            guard ring.slots.count == most else {
                ring.slots.append((request, status, reason))
                return
            }
            swap(&ring.slots[ring.next].request, &request)
            ring.slots[ring.next].status = status
            ring.slots[ring.next].reason = reason
            ring.next = (ring.next + 1) % most
        }
    }

    /// The last requests, the oldest first.
    var all: [ReceivedRequest] {
        ring.withLock { ring in
            (ring.slots[ring.next...] + ring.slots[..<ring.next]).map {
                ReceivedRequest($0.request, status: $0.status, reason: $0.reason)
            }
        }
    }

    func reset() { ring.withLock { $0 = Ring() } }
}
