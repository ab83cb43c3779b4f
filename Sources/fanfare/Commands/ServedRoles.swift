import DeviceEdge
import HTTPServer
import WebServing

/// The roles that `fanfare server` can have (`server.roles`).
enum ServedRoles {
    /// All of them; the API answers every request that is not for the edge.
    static let all: [any ServedRole.Type] = [ServedAPI.self, ServedEdge.self]
}
