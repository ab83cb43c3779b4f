import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to the server's edge.
struct EdgeRequest: Sendable, Equatable {
    var method: String
    /// The path below the server's address, with a leading slash.
    var path: String
    /// The device's secret, or the integration key the first time.
    var bearer: String
    /// The proof of the user's identity, from the app's own back end.
    var userProof: String?
    /// Fields by lower-case name.
    var headers: [String: String] = [:]
    /// The JSON body; nil for none.
    var body: Data?
}

/// The server's reply.
struct EdgeReply: Sendable {
    let status: Int
    /// Fields by lower-case name.
    let headers: [String: String]
    let body: Data

    /// The seconds that the server asks to wait (RFC 9110, section 10.2.3); nil for none or for a date.
    var retryAfter: TimeInterval? { headers["retry-after"].flatMap { TimeInterval($0) }.map { max(0, $0) } }
}

/// One server, reached over HTTPS; may be used from any task.
struct EdgeConnection: Sendable {
    private let server: URL
    private let session: URLSession
    /// More than any content that the server serves.
    private static let bodyMax = 4 * 1024 * 1024

    init(server: URL) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        // The kit has its own caches, which know what a device may see.
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    /// Sends a request and returns the reply; throws the system's error when there is none.
    func send(_ request: EdgeRequest) async throws -> EdgeReply {
        guard let url = URL(string: server.absoluteString.trimmingSuffix("/") + request.path) else {
            throw URLError(.badURL)
        }
        var asked = URLRequest(url: url)
        asked.httpMethod = request.method
        asked.setValue("Bearer \(request.bearer)", forHTTPHeaderField: "authorization")
        if let proof = request.userProof { asked.setValue(proof, forHTTPHeaderField: "fanfare-user") }
        for (name, value) in request.headers { asked.setValue(value, forHTTPHeaderField: name) }
        if let body = request.body {
            asked.setValue("application/json", forHTTPHeaderField: "content-type")
            asked.httpBody = body
        }
        let (data, response) = try await session.data(for: asked)
        guard let response = response as? HTTPURLResponse, data.count <= Self.bodyMax else {
            throw URLError(.badServerResponse)
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            headers[name.lowercased()] = value
        }
        return EdgeReply(status: response.statusCode, headers: headers, body: data)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self
        while text.last == suffix { text.removeLast() }
        return text
    }
}
