/// Decides how a connection to PostgreSQL is protected where nobody has said it; pure.
///
/// libpq's own default (`prefer`) gives the password to whoever answers, in the clear if that one likes. On the way to
/// another machine the server is to prove its name instead, before it hears anything.
public struct DatabaseTLS: Hashable, Sendable {
    /// What is known of a connection, in libpq's words.
    public struct Facts: Hashable, Sendable {
        /// `host` and `hostaddr`, whichever are named; an empty one is libpq's own default, a socket of this machine.
        public var hosts: [String]
        /// `sslmode` as the URL or the environment has it; nil when neither does.
        public var mode: String?
        /// Whether `sslrootcert` is named, or libpq finds one at its own place (`~/.postgresql/root.crt`).
        public var hasRoots: Bool

        /// Facts.
        public init(hosts: [String], mode: String?, hasRoots: Bool) {
            (self.hosts, self.mode, self.hasRoots) = (hosts, mode, hasRoots)
        }
    }

    /// The certificates that the system trusts, as Debian keeps them; libpq 15 has no name for the system's own.
    public static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    /// `sslmode`; nil leaves it to libpq.
    public let mode: String?
    /// Whether nobody has asked for that mode.
    public let isDefault: Bool
    /// `sslrootcert`, where somebody has to say it; nil leaves it to libpq.
    public let roots: String?
    /// Whether any of the hosts is another machine.
    public let leavesMachine: Bool

    /// How a connection is protected.
    public init(_ facts: Facts) {
        leavesMachine = !facts.hosts.allSatisfy(Self.isThisMachine)
        isDefault = facts.mode == nil
        mode = facts.mode ?? (leavesMachine ? "verify-full" : nil)
        // With any other mode a root certificate would change what the mode means.
        roots = (mode == "verify-full" || mode == "verify-ca") && !facts.hasRoots ? Self.systemRoots : nil
    }

    /// Whether somebody between could read along, or be taken for the server: only then a person has to know.
    public var isOpen: Bool { leavesMachine && mode != "verify-full" && mode != "verify-ca" }

    private static func isThisMachine(_ host: String) -> Bool {
        // A path and an abstract name are sockets of this machine.
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || Loopback.isLoopback(host: host)
    }
}
