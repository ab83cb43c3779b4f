import Synchronization

/// One of the last requests, for inspection by tests.
public struct ReceivedRequest: Sendable, Equatable {
    /// The status of the answer; 0 without an answer.
    public let status: Int
    /// The reason of the answer; nil for an acceptance.
    public let reason: String?
    /// The path, such as `/3/device/<token>`.
    public let path: String
    /// The header fields that a provider reads, without `authorization`.
    public let headers: [String: String]
    /// The body's bytes, as many as the provider keeps (APNs: 5120).
    public let payload: [UInt8]

    /// The request as a JSON object, with the payload as text.
    public var json: String {
        let fields = headers.sorted { $0.key < $1.key }.map {
            "\(JSONNode.quoted($0.key)):\(JSONNode.quoted($0.value))"
        }
        let reason = reason.map(JSONNode.quoted) ?? "null"
        return "{\"status\":\(status),\"reason\":\(reason),\"path\":\(JSONNode.quoted(path)),"
            + "\"headers\":{\(fields.joined(separator: ","))},"
            + "\"payload\":\(JSONNode.quoted(String(decoding: payload, as: UTF8.self)))}"
    }

    init(_ request: ProviderRequest, status: Int, reason: String?) {
        self.status = status
        self.reason = reason
        path = request.text(.path) ?? ""
        var headers: [String: String] = [:]
        for field in ProviderRequest.Field.allCases where ![.method, .path, .authority, .authorization].contains(field)
        {
            headers[field.name.description] = request.text(field)
        }
        self.headers = headers
        payload = request.body
    }
}

/// The last requests; buffers are swapped in, never copied.
final class LastRequests: Sendable {
    private struct Ring {
        var entries: [(request: ProviderRequest, status: Int, reason: String?)] = []
        var next = 0
    }

    private let most: Int
    private let ring = Mutex(Ring())

    /// Creates a store for `most` requests, at least one.
    init(most: Int) {
        self.most = max(1, most)
    }

    /// Stores `request` and returns an older buffer in its place.
    func keep(_ request: inout ProviderRequest, reaction: Reaction) {
        var (status, reason) = (0, String?.none)
        if case .answer(let answer) = reaction { (status, reason) = (answer.status, answer.reason) }
        ring.withLock { ring in
            guard ring.entries.count == most else {
                ring.entries.append((request, status, reason))
                return
            }
            swap(&ring.entries[ring.next].request, &request)
            ring.entries[ring.next].status = status
            ring.entries[ring.next].reason = reason
            ring.next = (ring.next + 1) % most
        }
    }

    /// The last requests, oldest first.
    var all: [ReceivedRequest] {
        ring.withLock { ring in
            (ring.entries[ring.next...] + ring.entries[..<ring.next]).map {
                ReceivedRequest($0.request, status: $0.status, reason: $0.reason)
            }
        }
    }

    func reset() { ring.withLock { $0 = Ring() } }
}
