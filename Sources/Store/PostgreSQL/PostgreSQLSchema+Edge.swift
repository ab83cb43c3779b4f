#if PostgreSQL
extension PostgreSQLSchema {
    /// What a device shows at the edge, as SHA-256, and the version of the kit that it says.
    static let deviceSecrets = """
        ALTER TABLE devices ADD COLUMN secret_hash BYTEA;
        ALTER TABLE devices ADD COLUMN kit_version TEXT COLLATE "C";
        CREATE UNIQUE INDEX device_secrets ON devices (secret_hash) WHERE secret_hash IS NOT NULL;
        """

    /// Which integration key a device has registered with (`EdgeSecret.keyNumber`); null of an imported one.
    static let deviceKeys = "ALTER TABLE devices ADD COLUMN came_with BIGINT;"

    /// Which forgotten devices' bytes are out of a chunk; those that are not yet are found by an index.
    static let blanking = """
        ALTER TABLE chunk_dead ADD COLUMN blanked BYTEA NOT NULL DEFAULT '';
        CREATE INDEX forgotten_to_blank ON chunk_dead (list, ordinal) WHERE blanked <> opted_out;
        """
}
#endif
