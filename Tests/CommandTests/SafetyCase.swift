import Testing

/// An unintended access that `doctor` warns of; the raw value is the check's name.
enum SafetyCase: String, CaseIterable, CustomTestStringConvertible {
    case guest = "broker user"
    case edgeWithoutTLS = "edge TLS"
    case users = "news users"
    case addresses = "news addresses"

    var testDescription: String { rawValue }

    /// The verdict when nobody has that access; nil for none.
    var verdictOfClosed: String? {
        switch self {
        case .guest, .users: "well"
        case .edgeWithoutTLS, .addresses: nil
        }
    }

    func configuration(isOpen: Bool) -> String {
        let user = self == .guest && isOpen ? "guest:guest" : "fanfare:secret"
        let edge = self == .edgeWithoutTLS && isOpen ? "0.0.0.0:8443" : "127.0.0.1:8443"
        return """
            amqp: {url: "amqp://\(user)@127.0.0.1:1"}
            apps: {file: apps.yaml}
            server: {edge_listen: "\(edge)"}

            """
    }

    func apps(isOpen: Bool) -> String {
        switch self {
        case .guest, .edgeWithoutTLS: "apps: {}\n"
        case .users:
            """
            apps:
              news:
                webpush:
                  subject: mailto:push@example.com
                  private_key_file: vapid.key
                  public_key: \(Self.publicKey)
                edge:
                  integration_keys_file: news.keys
                  user_keys_file: users.json
                  require_user_token: \(!isOpen)

            """
        case .addresses:
            """
            apps:
              news:
                webpush:
                  subject: mailto:push@example.com
                  private_key_file: vapid.key
                  public_key: \(Self.publicKey)
                  addresses: \(isOpen ? "any" : "global")

            """
        }
    }

    /// The files that the apps name: RFC 7515's key of its section A.3, for both.
    static let files = [
        "news.keys": "",
        "vapid.key": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
        "users.json": """
        {"keys": [{"kty": "EC", "crv": "P-256", "kid": "a", "alg": "ES256", "use": "sig",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """,
    ]

    private static let publicKey =
        "BH_Nzidw9sRdQYPL7m_bS3tYBzM1e-nvE7rPbjx70VRFx_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
}
