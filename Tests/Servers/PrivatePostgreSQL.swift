import Foundation
import Synchronization

/// A private PostgreSQL server for tests: its own folder and port, loopback only, never as root.
///
/// A guard process kills it and removes its folder when the test process ends, in any way. May be used from any task;
/// its calls block.
public final class PrivatePostgreSQL: Sendable {
    /// The error for a server that could not be started or reached.
    public struct Failure: Error, CustomStringConvertible {
        /// The failure, with the path of the logs.
        public let description: String
    }

    /// The server that all tests of a process share if they do not damage it; started at the first use.
    ///
    /// With `FANFARE_TEST_LEDGER=standby` it has a synchronous standby.
    public static let shared = Result {
        let server = try PrivatePostgreSQL()
        if ledger == "standby" { _ = try server.addStandby() }
        return server
    }

    /// The server for the ledgers of tests that ask for none; nil, so that these are SQLite, unless
    /// `FANFARE_TEST_LEDGER` is `postgresql` or `standby`.
    public static func ofMatrix() throws -> PrivatePostgreSQL? {
        ["postgresql", "standby"].contains(ledger) ? try shared.get() : nil
    }

    private static let ledger = ProcessInfo.processInfo.environment["FANFARE_TEST_LEDGER"]
    /// The programs of another version, if `FANFARE_TEST_POSTGRESQL` names a root folder.
    private static let root = ServerRoot.named("FANFARE_TEST_POSTGRESQL")

    /// The password of its only user, `fanfare`.
    public static let password = "p@ss word"

    /// The folder of its files.
    public let folder: String
    /// The port that it listens on, on 127.0.0.1.
    public let port: Int
    private let programs: String
    private let server = Mutex<Process?>(nil)
    private let databases = Mutex(0)
    /// The port of its standby, if there is one.
    private let standbyPort = Mutex<Int?>(nil)

    /// Creates and starts a server and waits until it answers; with `primary`, as that server's standby.
    public init(standbyOf primary: PrivatePostgreSQL? = nil) throws {
        port = try LoopbackPorts.free(1)[0]
        // A folder that the server's user can reach, whatever the temporary folder's permissions are.
        folder = "/tmp/fanfare-postgresql-\(port)"
        programs = try Self.findPrograms()
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        try Data(Self.password.utf8).write(to: URL(fileURLWithPath: folder + "/password"))
        chmod(folder + "/password", 0o644)
        if let primary {
            let from = ["--dbname=\(primary.url("postgres"))", "--write-recovery-conf", "--checkpoint=fast"]
            try run("pg_basebackup", ["--pgdata=\(folder)/data", "--no-sync"] + from, asServer: true)
        } else {
            let initdb = [
                "-D", folder + "/data", "-U", "fanfare", "-A", "scram-sha-256", "--pwfile", folder + "/password",
                "--no-sync", "-E", "UTF8", "--locale=C.UTF-8",
            ]
            try run("initdb", initdb, asServer: true)
        }
        try launchGuard()
        try restart()
    }

    /// Returns the `store.url` of a database on it and on its standby.
    public func url(_ database: String) -> String {
        let start = "postgresql://fanfare:p%40ss%20word@127.0.0.1:\(port)"
        guard let other = standbyPort.withLock({ $0 }) else { return "\(start)/\(database)" }
        return "\(start),127.0.0.1:\(other)/\(database)?target_session_attrs=read-write"
    }

    /// Enables TLS with a self-signed certificate for a name; returns the path of the certificate's PEM.
    public func secure(as name: String) throws -> String {
        let (certificate, key) = (folder + "/server.pem", folder + "/server.key")
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", key, "-out", certificate, "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
        ]
        try run("/usr/bin/openssl", arguments, asServer: true)
        for (setting, value) in [("ssl_cert_file", certificate), ("ssl_key_file", key), ("ssl", "on")] {
            try execute("ALTER SYSTEM SET \(setting) = '\(value)'")
        }
        stop()
        try restart()
        return certificate
    }

    /// Starts a synchronous standby, which receives each commit before it is reported as done.
    public func addStandby() throws -> PrivatePostgreSQL {
        let standby = try PrivatePostgreSQL(standbyOf: self)
        try execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try execute("SELECT pg_reload_conf()")
        standbyPort.withLock { $0 = standby.port }
        return standby
    }

    /// Promotes a standby to primary.
    public func promote() throws {
        guard try execute("SELECT pg_promote()") == "t" else {
            throw Failure(description: "the standby was not promoted, see \(folder)/log")
        }
    }

    /// Creates an empty database, or a copy of an unused one; returns its name.
    public func createDatabase(template: String = "template0") throws -> String {
        let number = databases.withLock { count in
            count += 1
            return count
        }
        let name = "ledger_\(number)"
        try execute("CREATE DATABASE \(name) TEMPLATE \(template)")
        return name
    }

    /// Removes a database, even while it is in use.
    public func dropDatabase(_ name: String) throws {
        try execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// Runs statements as the superuser and returns their output, one line per row.
    @discardableResult
    public func execute(_ sql: String, database: String = "postgres") throws -> String {
        let arguments = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", sql]
        return try run("psql", arguments).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Backs up a database as the runbook describes.
    public func dump(_ database: String, to file: String) throws {
        try run("pg_dump", ["--format=custom", "--file=\(file)", "--dbname=\(url(database))"])
    }

    /// Restores a database as the runbook describes.
    public func restore(_ file: String, to database: String) throws {
        let arguments = ["--clean", "--if-exists", "--single-transaction", "--dbname=\(url(database))", file]
        try run("pg_restore", arguments)
    }

    /// Restarts the server with its data and waits until it answers.
    public func restart() throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let process = try launch()
            server.withLock { $0 = process }
            try Data("\(process.processIdentifier)\n".utf8).write(to: URL(fileURLWithPath: folder + "/server.pid"))
            while process.isRunning, !isReady() { usleep(20_000) }
            // After a kill its children may hold its memory for a moment.
            if process.isRunning { return }
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "PostgreSQL did not start, see \(folder)/log")
            }
            usleep(50_000)
        }
    }

    /// Kills the server (SIGKILL) and waits until it has ended.
    public func kill() {
        end(SIGKILL)
    }

    /// Stops the server despite its connections (SIGINT: a fast shutdown) and waits until it has ended.
    public func stop() {
        end(SIGINT)
    }

    /// Stops the server and removes its files.
    public func remove() {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: - Processes

    private func end(_ signal: Int32) {
        guard let process = server.withLock({ $0 }) else { return }
        _ = Foundation.kill(process.processIdentifier, signal)
        process.waitUntilExit()
        server.withLock { $0 = nil }
    }

    private func isReady() -> Bool {
        (try? run("pg_isready", ["-h", "127.0.0.1", "-p", "\(port)", "-t", "2"])) != nil
    }

    private func launch() throws -> Process {
        let settings = [
            "port=\(port)", "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=600",
            "fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_wal_size=256MB",
        ]
        let arguments = ["-D", folder + "/data"] + settings.flatMap { ["-c", $0] }
        let process = process("postgres", arguments, asServer: true)
        let log = folder + "/log"
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try handle.seekToEnd()
        process.standardOutput = handle
        process.standardError = handle
        try process.runTakingSignals()
        return process
    }

    private func process(_ program: String, _ arguments: [String], asServer: Bool) -> Process {
        let process = Process()
        let path = program.hasPrefix("/") ? program : programs + "/" + program
        let command = Self.root.command(path, arguments, in: folder, as: asServer ? "postgres" : nil)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        return process
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String], asServer: Bool = false) throws -> String {
        let process = process(program, arguments, asServer: asServer)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.runTakingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program): \(text)") }
        return text
    }

    private func launchGuard() throws {
        let guardian = Process()
        guardian.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = """
            while kill -0 \(getpid()) && [ -d \(folder) ]; do sleep 1; done
            [ -f \(folder)/server.pid ] && kill -9 $(cat \(folder)/server.pid)
            rm -rf \(folder)
            """
        guardian.arguments = ["-c", script]
        guardian.standardInput = FileHandle.nullDevice
        guardian.standardOutput = FileHandle.nullDevice
        guardian.standardError = FileHandle.nullDevice
        try guardian.run()
    }

    /// Finds Debian's folder of programs, of which each version has its own.
    private static func findPrograms() throws -> String {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path + folder)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        let candidates = newest.map { ["\(folder)/\($0)/bin"] } ?? []
        let found = (candidates + ["/usr/local/bin", "/usr/bin"]).first {
            FileManager.default.isExecutableFile(atPath: root.path + $0 + "/initdb")
        }
        guard let found else { throw Failure(description: "no initdb: install postgresql") }
        return found
    }
}
