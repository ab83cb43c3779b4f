import GRDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Copies of a SQLite ledger, made while workers write.
///
/// PostgreSQL has tools of its own for this.
public enum LedgerBackup {
    /// Copies a ledger into a new file and returns the copy's size in bytes; blocks.
    ///
    /// The copy is a snapshot of one moment in one file, readable by its owner only. It is complete and checked before
    /// it gets its name. Workers go on writing meanwhile; until the copy is done, their writes make the write-ahead log
    /// grow.
    public static func backUp(_ path: String, to file: String) throws(BackupError) -> Int64 {
        guard access(path, F_OK) == 0 else { throw .ledger(.missing(path: path)) }
        guard access(file, F_OK) != 0 else { throw .exists(path: file) }
        let partial = "\(file).partial-\(getpid())"
        defer { unlink(partial) }
        try copy(path, to: partial)
        try check(partial)
        // Unlike a rename, this fails if somebody else has created the file meanwhile.
        guard link(partial, file) == 0 else {
            throw errno == EEXIST ? .exists(path: file) : .file(path: file, detail: String(cString: strerror(errno)))
        }
        return size(file)
    }

    /// Copies all pages in one step: between several steps, a write of another process would restart the copy.
    static func copy(_ path: String, to partial: String) throws(BackupError) {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            let source = try DatabaseQueue(path: path, configuration: configuration)
            // The file gets its permissions before its first byte.
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

    /// Throws if a copy is not a complete ledger that this program can work with.
    static func check(_ file: String) throws(BackupError) {
        do {
            let copy = try DatabaseQueue(path: file)
            let (application, integrity) = try copy.read { db in
                (
                    try Int32.fetchOne(db, sql: "PRAGMA application_id"),
                    try String.fetchAll(db, sql: "PRAGMA integrity_check(5)")
                )
            }
            let isNewer = try copy.read(SQLiteSchema.standing).isTooNew
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
