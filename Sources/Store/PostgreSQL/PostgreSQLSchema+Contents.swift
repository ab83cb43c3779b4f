#if PostgreSQL
extension PostgreSQLSchema {
    /// The content that apps fetch by its id (`campaign` is 0 for an upload), and the kinds of campaigns.
    static let contents = """
        ALTER TABLE campaigns ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'notification';
        CREATE TABLE contents (
            app TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            type TEXT COLLATE "C" NOT NULL,
            content_type TEXT COLLATE "C" NOT NULL,
            version TEXT COLLATE "C" NOT NULL,
            campaign BIGINT NOT NULL,
            at BIGINT NOT NULL,
            bytes BYTEA NOT NULL,
            PRIMARY KEY (app, id)
        );
        CREATE INDEX contents_by_campaign ON contents (campaign);
        """
}
#endif
