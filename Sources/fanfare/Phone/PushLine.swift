import Campaigns
import Foundation
import NIOPosix
import Transport

/// How pushes reach the phone: the far side holds them for its token, and is asked for them.
struct PushLine: Sendable {
    /// A push that came.
    struct Arrival: Sendable, Equatable {
        /// The JSON that the app gets.
        let payload: String
        /// On the screen it takes the place of what has the same key; nil for a place of its own.
        let displayKey: String?
        /// Whether the system shows it by itself.
        let isShown: Bool
    }

    private let client: HTTP1Client
    private let token: String

    /// The control address of a simulator, and the phone's token.
    init(host: String, port: Int, token: String) {
        client = HTTP1Client(host: host, port: port, loop: MultiThreadedEventLoopGroup.singleton.next())
        self.token = token
    }

    /// Puts the phone into the network of the push service, or out of it.
    func set(isOnline: Bool) async throws {
        _ = try await ask("/device?provider=apns&token=\(token)&state=\(isOnline ? "online" : "offline")")
    }

    /// What came since the last time; at most the last 200.
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
