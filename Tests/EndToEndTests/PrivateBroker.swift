import NIOCore
import NIOPosix
import Servers
import Transport

/// The RabbitMQ nodes of these tests, and a virtual host for each test.
///
/// All tests share one node, except those that kill it (`hurtsItsBroker`), which share another, one after another.
enum PrivateBroker {
    static let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private static let shared = SharedNode()
    private static let hurt = SharedNode()

    /// True if the running test may damage its node.
    @TaskLocal static var isHurt = false

    /// Returns the running test's node; tests of other targets have their own, and kill them.
    static func node() async throws -> RabbitMQNode { try await (isHurt ? hurt : shared).node() }

    static func addVirtualHost(_ name: String) async throws {
        try await manage("PUT", "/api/vhosts/\(name)", body: "{\"default_queue_type\":\"classic\"}")
    }

    static func removeVirtualHost(_ name: String) async throws {
        try await manage("DELETE", "/api/vhosts/\(name)", body: nil)
    }

    /// Has every message of a queue delivered once, and requeued unacknowledged.
    static func requeueAll(_ queue: String, _ virtualHost: String) async throws {
        let body = #"{"count":100,"ackmode":"reject_requeue_true","encoding":"base64"}"#
        try await manage("POST", "/api/queues/\(virtualHost)/\(queue)/get", body: body)
    }

    /// Calls the management API as the node's default user.
    static func manage(_ method: String, _ path: String, body: String?) async throws {
        let client = HTTP1Client(
            host: "127.0.0.1",
            port: try await node().managementPort,
            loop: loop,
            timeout: .seconds(60)
        )
        let headers = [
            HTTP1Client.Header("Authorization", "Basic Z3Vlc3Q6Z3Vlc3Q="),
            HTTP1Client.Header("Content-Type", "application/json"),
        ]
        let response = try await client.send(method, path, headers: headers, body: body.map { Array($0.utf8) })
        guard (200..<300).contains(response.status) else {
            let answer = String(decoding: response.body, as: UTF8.self)
            throw Refused(description: "\(response.status) to \(method) \(path): \(answer)")
        }
    }

    /// The error for a refusal of the management API.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
