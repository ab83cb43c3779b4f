import Campaigns
import Foundation
import NIOPosix
import Operations
import Transport

/// The phone's push connection: the simulator holds pushes for the phone's token and is polled for them.
struct PushLine: Sendable {
    /// A received push.
    struct Arrival: Sendable, Equatable {
        /// The JSON for the app.
        let payload: String
        /// The push replaces a notification with the same key; nil for a separate one.
        let displayKey: String?
        /// True if the system shows it by itself.
        let isShown: Bool
    }

    private let client: HTTP1Client
    private let token: String

    /// Takes the control address of a simulator, and the phone's token.
    init(host: String, port: Int, token: String) {
        client = HTTP1Client(host: host, port: port, loop: MultiThreadedEventLoopGroup.singleton.next())
        self.token = token
    }

    /// Connects the phone to the push service's network, or disconnects it.
    func set(isOnline: Bool) async throws {
        _ = try await ask("/device?provider=apns&token=\(token)&state=\(isOnline ? "online" : "offline")")
    }

    /// Returns the pushes since the last call; at most the last 200.
    func take() async throws -> [Arrival] {
        let answer = try await ask("/device/take?provider=apns&token=\(token)")
        return (answer.array ?? []).compactMap { push -> Arrival? in
            guard let payload = push["payload"], case .object = payload else { return nil }
            return Arrival(
                payload: String(decoding: JSONWriter.bytes(payload), as: UTF8.self),
                displayKey: push["display_key"]?.string,
                isShown: push["shown"] == .bool(true)
            )
        }
    }

    private func ask(_ path: String) async throws -> JSONValue {
        let response = try await client.send("POST", path, body: [])
        let limits = JSONReader.Limits(bytesMax: 16 << 20, depthMax: 64)
        guard response.status == 200, let json = JSONReader.read(response.body, limits: limits).value else {
            throw CommandFailure(
                .failed,
                "the simulator answered \(response.status) to POST \(path.prefix { $0 != "?" })"
            )
        }
        return json
    }
}
