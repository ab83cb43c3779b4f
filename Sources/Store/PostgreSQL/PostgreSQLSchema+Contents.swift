#if PostgreSQL
extension PostgreSQLSchema {
    /// What apps fetch by its id (`campaign`: 0 for what was uploaded), and what a campaign is for the app.
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
