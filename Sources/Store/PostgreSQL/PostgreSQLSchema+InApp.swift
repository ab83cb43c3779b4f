#if PostgreSQL
/// See `SQLiteSchema.inApp`.
extension PostgreSQLSchema {
    static let inApp = """
        ALTER TABLE campaigns ADD COLUMN in_app BIGINT NOT NULL DEFAULT 0;
        CREATE TABLE in_app_campaigns (
            campaign BIGINT PRIMARY KEY,
            app TEXT COLLATE "C" NOT NULL,
            excluded BIGINT,
            prepared BIGINT NOT NULL DEFAULT 0,
            ended BIGINT NOT NULL DEFAULT 0,
            given BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX open_in_app_campaigns ON in_app_campaigns (campaign) WHERE ended = 0;
        CREATE TABLE in_app_tokens (
            campaign BIGINT NOT NULL,
            list BIGINT NOT NULL,
            first BIGINT NOT NULL,
            hashes BYTEA NOT NULL,
            PRIMARY KEY (campaign, list, first)
        );
        CREATE TABLE in_app_given (
            campaign BIGINT NOT NULL,
            device BIGINT NOT NULL,
            PRIMARY KEY (campaign, device)
        );
        CREATE TABLE in_app_displays (
            campaign BIGINT NOT NULL,
            device BIGINT NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (campaign, device)
        );
        """

    static let untold = """
        CREATE TABLE untold (
            campaign BIGINT PRIMARY KEY,
            expires_at BIGINT NOT NULL
        );
        CREATE INDEX untold_ends ON untold (expires_at);
        """
}
#endif
