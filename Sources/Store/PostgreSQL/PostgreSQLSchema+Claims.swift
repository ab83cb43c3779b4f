#if PostgreSQL
extension PostgreSQLSchema {
    /// The workers that died with a shard, and the devices that they may have sent to without a word.
    static let claims = """
        ALTER TABLE shards ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE shards ADD COLUMN maybe_sent BIGINT NOT NULL DEFAULT 0;
        """
}
#endif
