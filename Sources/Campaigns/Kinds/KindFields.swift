extension JobFields {
    static let rich = FieldList("rich", ["type", "id", "message"])

    static let announcement = FieldList(
        "announcement",
        ["format", "title", "body", "action_label", "action_url", "exit_label"]
    )

    static let poll = FieldList(
        "poll",
        ["title", "body", "action_label", "exit_label", "questions"]
    )

    static let question = FieldList(
        "a question",
        ["id", "title", Field("select", "one"), "choices"]
    )

    static let choice = FieldList("a choice", ["id", "title", Field("default", false)])

    static let dataPush = FieldList("data_push", ["encoding", "body", "category"])
}
