/// The tables of what phones report.
extension SQLiteSchema {
    /// `step` is type + 16 × surface (`TrackedStep`), `device` the index in the campaign, and `detail` a button or
    /// reason.
    ///
    /// An event with a detail has a second row without one, so that a device counts once whatever it pressed.
    /// `registered` is the device's number in the registry, which segments use. `poll_totals` has the questions and
    /// choices of polls; the choice without a name counts the devices.
    static let tracking = """
        CREATE TABLE tracked (
            campaign INTEGER NOT NULL,
            step INTEGER NOT NULL,
            device INTEGER NOT NULL,
            detail TEXT NOT NULL,
            registered INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (campaign, step, device, detail)
        ) WITHOUT ROWID;
        CREATE TABLE tracking_totals (
            campaign INTEGER NOT NULL,
            step INTEGER NOT NULL,
            detail TEXT NOT NULL,
            devices INTEGER NOT NULL,
            PRIMARY KEY (campaign, step, detail)
        ) WITHOUT ROWID;
        CREATE TABLE poll_answers (
            campaign INTEGER NOT NULL,
            device INTEGER NOT NULL,
            registered INTEGER NOT NULL,
            at INTEGER NOT NULL,
            answers TEXT NOT NULL,
            PRIMARY KEY (campaign, device)
        ) WITHOUT ROWID;
        CREATE TABLE poll_totals (
            campaign INTEGER NOT NULL,
            question TEXT NOT NULL,
            choice TEXT NOT NULL,
            devices INTEGER NOT NULL,
            PRIMARY KEY (campaign, question, choice)
        ) WITHOUT ROWID;
        """
}
