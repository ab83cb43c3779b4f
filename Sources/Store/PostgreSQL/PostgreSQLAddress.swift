#if PostgreSQL
import CPostgreSQL
import Delivery
import Foundation

/// `store.url` of a PostgreSQL database; may hold a password, which `place` leaves out.
struct PostgreSQLAddress: Sendable {
    /// By which the server shows our sessions.
    static let applicationName = "fanfare"

    /// For people: hosts, ports and database.
    let place: String
    /// How its connections are protected.
    let tls: DatabaseTLS
    private let url: String

    /// Nil when libpq cannot read it.
    ///
    /// Its own words on it are not for logs: they quote the URL, and a password with it.
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
        place = "postgresql://\(names.joined(separator: ","))/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// What the URL says, and where it says nothing the environment, as libpq reads it.
    ///
    /// Who names a host means that host, also where an address says how to reach it, as through a tunnel.
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

    /// What libpq is given: what stands before the URL gives way to it, what stands behind it does not.
    ///
    /// A server that is gone without a word is noticed after 15 s of unacknowledged bytes, or 25 s of silence. Of several
    /// hosts the one that takes writes is meant.
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
