extension SQLiteSchema {
    /// The content that apps fetch by its id (`campaign` is 0 for an upload), and the kinds of campaigns.
    static let contents = """
        ALTER TABLE campaigns ADD COLUMN kind TEXT NOT NULL DEFAULT 'notification';
        CREATE TABLE contents (
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            content_type TEXT NOT NULL,
            version TEXT NOT NULL,
            campaign INTEGER NOT NULL,
            at INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (app, id)
        );
        CREATE INDEX contents_by_campaign ON contents (campaign);
        """
}
