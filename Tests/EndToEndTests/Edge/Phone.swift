import Campaigns
import Foundation
import FoundationNetworking
import Testing

/// An app's installation as the edge sees it: plain HTTP without our code.
struct Phone: Sendable {
    let id: String
    let token: String
    var secret = ""

    /// The edge of a server at a port.
    struct Edge: Sendable {
        let port: Int
        private let session: URLSession

        init(port: Int) {
            self.port = port
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 16
            configuration.urlCache = nil
            configuration.timeoutIntervalForRequest = 300
            session = URLSession(configuration: configuration)
        }

        /// Sends a request; returns the status, the header fields by lower-case names, and the body.
        func ask(
            _ method: String,
            _ path: String,
            bearer: String,
            body: JSONValue
        ) async throws -> (status: Int, fields: [String: String], body: Data) {
            try await ask(method, path, bearer: bearer, bytes: Data(JSONWriter.bytes(body)))
        }

        /// Sends a request with arbitrary bytes as its body, or none.
        func ask(
            _ method: String,
            _ path: String,
            bearer: String,
            bytes: Data? = nil,
            fields: [String: String] = [:]
        ) async throws -> (status: Int, fields: [String: String], body: Data) {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
            var request = URLRequest(url: url)
            request.httpMethod = method
            request.setValue("Bearer \(bearer)", forHTTPHeaderField: "authorization")
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            if let bytes {
                request.setValue("application/json", forHTTPHeaderField: "content-type")
                request.httpBody = bytes
            }
            let (data, response) = try await session.data(for: request)
            let answer = try #require(response as? HTTPURLResponse)
            var fields: [String: String] = [:]
            for case let (name as String, value as String) in answer.allHeaderFields {
                fields[name.lowercased()] = value
            }
            return (answer.statusCode, fields, data)
        }

        /// Runs a body for each of many elements, sixteen at a time.
        static func forEach<Element: Sendable, Value: Sendable>(
            _ elements: [Element],
            _ body: @escaping @Sendable (Element) async throws -> Value
        ) async throws -> [Value] {
            try await withThrowingTaskGroup(of: (Int, Value).self) { group in
                var values: [Int: Value] = [:]
                var next = elements.startIndex
                func start() {
                    guard next < elements.endIndex else { return }
                    let (index, element) = (next, elements[next])
                    next += 1
                    group.addTask { (index, try await body(element)) }
                }
                for _ in 0..<16 { start() }
                while let (index, value) = try await group.next() {
                    values[index] = value
                    start()
                }
                return try elements.indices.map { try #require(values[$0]) }
            }
        }
    }

    /// Registers with the app's integration key; the returned phone has its secret.
    func registered(_ edge: Edge, key: String, _ more: [JSONMember] = []) async throws -> Phone {
        let body = JSONValue.object([JSONMember("token", .string(token))] + more)
        let answer = try await edge.ask("PUT", "/v1/devices/\(id)", bearer: key, body: body)
        try #require(answer.status == 201, "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        let json = JSONReader.read(Array(answer.body)).value
        var phone = self
        phone.secret = try #require(json?["device_secret"]?.string)
        return phone
    }
}
