extension SQLiteSchema {
    /// `prepared`: its lists are in `in_app_tokens`; `given`: devices that were given the message, each once.
    ///
    /// `in_app_tokens`: sorted hashes of a list's tokens, 8 bytes each with the least significant first, some hundred a
    /// row; `first` is the first of a row. `in_app_given`: which devices those are. `in_app_displays`: when a device has
    /// displayed the message last, for which `tracked` has the first time only. Devices are numbers of the registry.
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

    /// Completed campaigns some of whose devices no push could reach, for their apps to tell of; one row each.
    static let untold = """
        CREATE TABLE untold (
            campaign INTEGER PRIMARY KEY,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX untold_ends ON untold (expires_at);
        """
}
