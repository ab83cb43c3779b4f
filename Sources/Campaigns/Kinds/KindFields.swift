extension JobFields {
    static let rich = FieldList("rich", [.now("type"), .now("id"), .now("message")])

    static let announcement = FieldList(
        "announcement",
        [
            .now("format"), .now("title"), .now("body"), .now("action_label"), .now("action_url"), .now("exit_label"),
        ]
    )

    static let poll = FieldList(
        "poll",
        [.now("title"), .now("body"), .now("action_label"), .now("exit_label"), .now("questions")]
    )

    static let question = FieldList(
        "a question",
        [.now("id"), .now("title"), .now("select", "one"), .now("choices")]
    )

    static let choice = FieldList("a choice", [.now("id"), .now("title"), .now("default", false)])

    static let dataPush = FieldList("data_push", [.now("encoding"), .now("body"), .now("category")])
}
