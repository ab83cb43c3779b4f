#if PostgreSQL
import CPostgreSQL
import Delivery
import Foundation

/// The `store.url` of a PostgreSQL database; it may hold a password, which `location` leaves out.
struct PostgreSQLAddress: Sendable {
    /// The name under which the server lists our sessions.
    static let applicationName = "fanfare"

    /// The location for people: hosts, ports and database.
    let location: String
    /// The protection of the connections.
    let tls: DatabaseTLS
    private let url: String

    /// An address; nil if libpq cannot read the URL.
    ///
    /// libpq's error text must not be logged: it quotes the URL, possibly with a password.
    init?(_ url: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let options = PQconninfoParse(url, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.url = url
        tls = DatabaseTLS(Self.facts(values, environment))
        let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let names = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return port.isEmpty ? "\(host)" : "\(host):\(port)"
        }
        location = "postgresql://\(names.joined(separator: ","))/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// The facts from the URL, or from the environment where the URL is silent, as libpq reads them.
    ///
    /// A named host counts even if an address says how to reach it, for example through a tunnel.
    private static func facts(_ values: [String: String], _ environment: [String: String]) -> DatabaseTLS.Facts {
        let names = [("host", "PGHOST"), ("hostaddr", "PGHOSTADDR")].compactMap { values[$0] ?? environment[$1] }
        let home = environment["HOME"] ?? ""
        return DatabaseTLS.Facts(
            hosts: names.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) },
            mode: values["sslmode"] ?? environment["PGSSLMODE"],
            hasRoots: values["sslrootcert"] != nil || environment["PGSSLROOTCERT"] != nil
                || FileManager.default.fileExists(atPath: home + "/.postgresql/root.crt")
        )
    }

    /// The parameters for libpq: the URL overrides the ones before it, but not the ones after it.
    ///
    /// The loss of a silent server is detected after 15 s of unacknowledged bytes, or 25 s of silence. Among several
    /// hosts libpq picks the one that accepts writes.
    var parameters: (keywords: [String], values: [String]) {
        let security = [("sslmode", tls.mode), ("sslrootcert", tls.roots)].compactMap { name, value in
            value.map { (name, $0) }
        }
        let pairs =
            security + [
                ("connect_timeout", "5"), ("application_name", Self.applicationName), ("keepalives", "1"),
                ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "15000"), ("target_session_attrs", "read-write"), ("dbname", url),
                ("client_encoding", "UTF8"),
            ]
        return (pairs.map(\.0), pairs.map(\.1))
    }
}
#endif
