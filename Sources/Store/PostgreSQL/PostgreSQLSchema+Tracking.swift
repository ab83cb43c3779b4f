#if PostgreSQL
/// The tables of what phones report, as in `SQLiteSchema`.
extension PostgreSQLSchema {
    static let tracking = """
        CREATE TABLE tracked (
            campaign BIGINT NOT NULL,
            step BIGINT NOT NULL,
            device BIGINT NOT NULL,
            detail TEXT COLLATE "C" NOT NULL,
            registered BIGINT NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (campaign, step, device, detail)
        );
        CREATE TABLE tracking_totals (
            campaign BIGINT NOT NULL,
            step BIGINT NOT NULL,
            detail TEXT COLLATE "C" NOT NULL,
            devices BIGINT NOT NULL,
            PRIMARY KEY (campaign, step, detail)
        );
        CREATE TABLE poll_answers (
            campaign BIGINT NOT NULL,
            device BIGINT NOT NULL,
            registered BIGINT NOT NULL,
            at BIGINT NOT NULL,
            answers TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (campaign, device)
        );
        CREATE TABLE poll_totals (
            campaign BIGINT NOT NULL,
            question TEXT COLLATE "C" NOT NULL,
            choice TEXT COLLATE "C" NOT NULL,
            devices BIGINT NOT NULL,
            PRIMARY KEY (campaign, question, choice)
        );
        """
}
#endif
