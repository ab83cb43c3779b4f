extension SQLiteSchema {
    /// The tables of in-app campaigns; devices are numbers of the registry.
    ///
    /// `prepared` says that the campaign's lists are in `in_app_tokens`; `given` counts the devices that received the
    /// message. `in_app_tokens` has sorted hashes of a list's tokens, up to 1,024 per row, 8 bytes each, least
    /// significant byte first; `first` is a row's first hash. `in_app_given` lists the devices that received the
    /// message. `in_app_displays` has the last time at which a device displayed the message; `tracked` has only the
    /// first.
    static let inApp = """
        ALTER TABLE campaigns ADD COLUMN in_app INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE in_app_campaigns (
            campaign INTEGER PRIMARY KEY,
            app TEXT NOT NULL,
            excluded INTEGER,
            prepared INTEGER NOT NULL DEFAULT 0,
            ended INTEGER NOT NULL DEFAULT 0,
            given INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX open_in_app_campaigns ON in_app_campaigns (campaign) WHERE ended = 0;
        CREATE TABLE in_app_tokens (
            campaign INTEGER NOT NULL,
            list INTEGER NOT NULL,
            first INTEGER NOT NULL,
            hashes BLOB NOT NULL,
            PRIMARY KEY (campaign, list, first)
        ) WITHOUT ROWID;
        CREATE TABLE in_app_given (
            campaign INTEGER NOT NULL,
            device INTEGER NOT NULL,
            PRIMARY KEY (campaign, device)
        ) WITHOUT ROWID;
        CREATE TABLE in_app_displays (
            campaign INTEGER NOT NULL,
            device INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (campaign, device)
        ) WITHOUT ROWID;
        """

    /// Completed campaigns with devices that no push could reach, for their apps to tell of; one row each.
    static let untold = """
        CREATE TABLE untold (
            campaign INTEGER PRIMARY KEY,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX untold_ends ON untold (expires_at);
        """
}
