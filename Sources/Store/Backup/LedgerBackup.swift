import GRDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Copies of a SQLite ledger, made while workers write.
///
/// PostgreSQL has its own tools for this.
public enum LedgerBackup {
    /// Copies a ledger into a new file and returns the copy's size in bytes; blocks.
    ///
    /// The copy is the ledger of one moment. It is one file, complete and checked before it gets its name, readable by
    /// its owner only. Workers write on meanwhile; the write-ahead log grows by what they write until the copy is made.
    public static func backUp(_ path: String, to file: String) throws(BackupError) -> Int64 {
        guard access(path, F_OK) == 0 else { throw .ledger(.missing(path: path)) }
        guard access(file, F_OK) != 0 else { throw .exists(path: file) }
        let partial = "\(file).partial-\(getpid())"
        defer { unlink(partial) }
        try copy(path, to: partial)
        try check(partial)
        // Unlike a rename, this fails when somebody else has made the file meanwhile.
        guard link(partial, file) == 0 else {
            throw errno == EEXIST ? .exists(path: file) : .file(path: file, detail: String(cString: strerror(errno)))
        }
        return size(file)
    }

    /// Copies all pages in one step: with several, a write of another process between two of them begins it anew.
    static func copy(_ path: String, to partial: String) throws(BackupError) {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            let source = try DatabaseQueue(path: path, configuration: configuration)
            // Before its first byte.
            let descriptor = openFile(partial)
            guard descriptor >= 0 else {
                throw BackupError.file(path: partial, detail: String(cString: strerror(errno)))
            }
            closeFile(descriptor)
            let destination = try DatabaseQueue(path: partial)
            try source.backup(to: destination)
            try source.close()
            try destination.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try destination.close()
        } catch let error as BackupError {
            throw error
        } catch {
            throw .ledger(LedgerError(error, path: path))
        }
    }

    private static func openFile(_ path: String) -> Int32 { open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }

    private static func closeFile(_ descriptor: Int32) { close(descriptor) }

    /// Throws when a copy is not a whole ledger of a version that this program knows.
    static func check(_ file: String) throws(BackupError) {
        do {
            let copy = try DatabaseQueue(path: file)
            let (application, integrity) = try copy.read { db in
                (
                    try Int32.fetchOne(db, sql: "PRAGMA application_id"),
                    try String.fetchAll(db, sql: "PRAGMA integrity_check(5)")
                )
            }
            let isNewer = try copy.read(SQLiteSchema.migrator.hasBeenSuperseded)
            try copy.close()
            guard application == SQLiteSchema.applicationID else {
                throw BackupError.damaged(path: file, detail: "it is a database of another program")
            }
            guard integrity == ["ok"] else {
                throw BackupError.damaged(path: file, detail: integrity.joined(separator: "; "))
            }
            if isNewer { throw BackupError.ledger(.newerVersion(path: file)) }
        } catch let error as BackupError {
            throw error
        } catch {
            throw .damaged(path: file, detail: "\(LedgerError(error, path: file))")
        }
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
