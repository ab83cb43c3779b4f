extension SQLiteSchema {
    /// The number of workers that died with a shard, and the number of devices that may have received its push
    /// unreported.
    static let claims = """
        ALTER TABLE shards ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE shards ADD COLUMN maybe_sent INTEGER NOT NULL DEFAULT 0;
        """
}
