extension SQLiteSchema {
    /// The SHA-256 of a device's secret for the edge, and the kit version that the device reports.
    static let deviceSecrets = """
        ALTER TABLE devices ADD COLUMN secret_hash BLOB;
        ALTER TABLE devices ADD COLUMN kit_version TEXT;
        CREATE UNIQUE INDEX device_secrets ON devices (secret_hash) WHERE secret_hash IS NOT NULL;
        """

    /// The number of the integration key with which a device registered (`EdgeSecret.keyNumber`); NULL for an imported
    /// one.
    static let deviceKeys = "ALTER TABLE devices ADD COLUMN came_with INTEGER;"

    /// The forgotten devices whose bytes are erased from a chunk; an index finds those not yet erased.
    static let blanking = """
        ALTER TABLE chunk_dead ADD COLUMN blanked BLOB NOT NULL DEFAULT x'';
        CREATE INDEX forgotten_to_blank ON chunk_dead (list, ordinal) WHERE blanked <> opted_out;
        """
}
