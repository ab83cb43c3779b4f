extension SQLiteSchema {
    /// The anchor of the shared time (`HostAnchor`), from which all processes of the host compute it.
    ///
    /// `at`, `lead` and `goal` are in microseconds, `last` in milliseconds. `workers.skew` is the lead of the host's
    /// wall clock over the shared time in milliseconds; NULL for workers of earlier versions.
    static let clock = """
        CREATE TABLE clock (
            id INTEGER PRIMARY KEY,
            boot TEXT NOT NULL,
            at INTEGER NOT NULL,
            lead INTEGER NOT NULL,
            goal INTEGER NOT NULL,
            last INTEGER NOT NULL
        );
        ALTER TABLE workers ADD COLUMN skew INTEGER;
        """
}
