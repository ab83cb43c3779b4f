import Campaigns
import Operations
package import Transport

/// Browser subscriptions to the simulator's Web Push, which derives them from its seed and can decrypt their messages.
package struct MadeUpSubscriptions {
    private let control: HTTP1Client
    private var page: ArraySlice<String> = []
    private var number = 0

    private static let pageCount = 5_000

    /// Starts at the first subscription of the simulator with this control address.
    package init(control: HTTP1Client) {
        self.control = control
    }

    /// Returns the next subscription in the form of a stored token: endpoint, number sign, key, full stop, secret.
    package mutating func next() async throws -> String {
        if page.isEmpty {
            page = try await read()[...]
            number += Self.pageCount
        }
        return page.removeFirst()
    }

    private func read() async throws -> [String] {
        let path = "/subscriptions?from=\(number)&count=\(Self.pageCount)"
        let answer: HTTP1Client.Response
        do {
            answer = try await control.send("GET", path)
        } catch {
            throw CommandFailure(.failed, "the simulator gives no subscriptions: \(error)")
        }
        let tokens = answer.body.split(separator: UInt8(ascii: "\n")).compactMap { line -> String? in
            let subscription = JSONReader.read(Array(line)).value
            guard let endpoint = subscription?["endpoint"]?.string, let keys = subscription?["keys"],
                let key = keys["p256dh"]?.string, let secret = keys["auth"]?.string
            else { return nil }
            return "\(endpoint)#\(key).\(secret)"
        }
        guard answer.status == 200, tokens.count == Self.pageCount else {
            throw CommandFailure(.failed, "the simulator gives no subscriptions: it answered \(answer.status)")
        }
        return tokens
    }
}
