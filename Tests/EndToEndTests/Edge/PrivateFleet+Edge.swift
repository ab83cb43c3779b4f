import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Testing
import Transport

extension PrivateFleet {
    /// The line of the key file with which the app's message ids are signed.
    static let messageKey = "1 " + String(repeating: "0b", count: 32)

    /// Gives the app an edge, makes an integration key and starts a server; returns its edge and the key.
    ///
    /// On an address of its own, the edge speaks HTTP/2 too.
    ///
    /// `more` goes into the block of the edge, `ofApp` behind it.
    func startEdge(
        onItsOwn isOnItsOwn: Bool = false,
        more: String = "",
        ofApp: String = ""
    ) async throws -> (edge: Phone.Edge, key: String) {
        let key = try await openEdge(more: more, ofApp: ofApp)
        return (Phone.Edge(port: try await startServer(ownEdge: isOnItsOwn)), key)
    }

    /// Gives the app an edge and makes an integration key, as an operator does; returns the key.
    func openEdge(more: String = "", ofApp: String = "") async throws -> String {
        let apps = URL(filePath: folder + "/apps.yaml")
        try Data(Self.messageKey.utf8).write(to: URL(filePath: folder + "/news.message.key"))
        let edge = "    edge: {message_key_file: news.message.key, integration_keys_file: news.keys\(more)}\n"
        try (try Data(contentsOf: apps) + Data((edge + ofApp).utf8)).write(to: apps)
        let made = try await run("app", "key", "create", Self.app, "--name", "test")
        try #require(made.exit == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts a server, which ends with the fleet; returns its port, or its edge's own.
    func startServer(ownEdge: Bool = false) async throws -> Int {
        let ports = try LoopbackPorts.free(ownEdge ? 2 : 1)
        let port = ports.last ?? 0
        let own = ownEdge ? ["FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:\(port)"] : [:]
        let server = try start(
            ["server", "--config", "fanfare.yaml"],
            environment: [
                "FANFARE_SERVER_LISTEN": "127.0.0.1:\(ports[0])",
                // All phones of a test come from one address, and few of them stand for many.
                "FANFARE_SERVER_EDGE_REGISTRATIONS_PER_SECOND": "100000",
                "FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "100000",
            ].merging(own) { $1 }
        )
        let edge = Phone.Edge(port: port)
        try await eventually("the server answers") {
            guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
            return (try? await edge.ask("GET", "/livez", bearer: "").status) == 200
        }
        return port
    }

    /// Stores the page that a coupon's push names.
    func putCoupon() async throws {
        try Data("<p>Ten percent</p>".utf8).write(to: URL(filePath: folder + "/coupon.html"))
        let put = try await run("content", "put", "c-81", "coupon.html", "--app", Self.app, "--type", "coupon")
        try #require(put.exit == 0, "\(put.errors)")
    }

    /// Returns the objects `fanfare` that devices received, by their tokens.
    func pushes() throws -> [String: JSONValue] {
        var pushes: [String: JSONValue] = [:]
        for request in simulator.lastRequests where request.status == 200 {
            let payload = try #require(JSONReader.read(request.payload).value)
            pushes[String(request.path.dropFirst("/3/device/".count))] = payload["fanfare"]
        }
        return pushes
    }

    /// Returns the output of `campaign report --json`.
    func report(_ campaign: String) async throws -> JSONValue {
        let outcome = try await run("campaign", "report", campaign, "--json")
        try #require(outcome.exit == 0, "\(outcome.errors)")
        return try #require(JSONReader.read(Array(outcome.output.utf8)).value)
    }

    /// Returns the number of batches that wait to be written.
    func waitingTracking() async throws -> Int {
        try await broker { client in Int(try await client.counts(of: BrokerNames.tracking)?.ready ?? 0) }
    }
}
