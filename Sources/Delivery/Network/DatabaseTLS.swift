/// Decides how a connection to PostgreSQL is protected if nobody has said so; pure.
///
/// libpq's own default (`prefer`) gives the password to whoever answers, in the clear if the server asks for that. On
/// the way to another machine the server has to prove its name instead, before it hears anything.
public struct DatabaseTLS: Hashable, Sendable {
    /// The facts about a connection, in libpq's words.
    public struct Facts: Hashable, Sendable {
        /// The named ones of `host` and `hostaddr`; an empty one is libpq's own default, a socket of this machine.
        public var hosts: [String]
        /// The `sslmode` of the URL or the environment; nil if neither has one.
        public var mode: String?
        /// True if `sslrootcert` is named, or libpq finds one in its own location (`~/.postgresql/root.crt`).
        public var hasRoots: Bool

        /// Facts.
        public init(hosts: [String], mode: String?, hasRoots: Bool) {
            (self.hosts, self.mode, self.hasRoots) = (hosts, mode, hasRoots)
        }
    }

    /// The certificates that the system trusts, as Debian keeps them; libpq 15 has no name for the system's own.
    public static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    /// The `sslmode`; nil leaves it to libpq.
    public let mode: String?
    /// True if nobody has asked for that mode.
    public let isDefault: Bool
    /// The `sslrootcert` if it has to be given; nil leaves it to libpq.
    public let roots: String?
    /// True if any of the hosts is another machine.
    public let leavesMachine: Bool

    /// The protection of a connection.
    public init(_ facts: Facts) {
        leavesMachine = !facts.hosts.allSatisfy(Self.isThisMachine)
        isDefault = facts.mode == nil
        mode = facts.mode ?? (leavesMachine ? "verify-full" : nil)
        // With any other mode a root certificate would change the meaning of the mode.
        roots = (mode == "verify-full" || mode == "verify-ca") && !facts.hasRoots ? Self.systemRoots : nil
    }

    /// True if somebody in between could read along, or impersonate the server: only then a person has to know.
    public var isOpen: Bool { leavesMachine && mode != "verify-full" && mode != "verify-ca" }

    private static func isThisMachine(_ host: String) -> Bool {
        // A path and an abstract name are sockets of this machine.
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || Loopback.isLoopback(host: host)
    }
}
