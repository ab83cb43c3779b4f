extension ActionCategory {
    /// The categories that apps have without declaring any: accept or decline, yes or no, confirm or cancel, more.
    ///
    ///     options.categories = ActionCategory.standard
    public static let standard = [
        ActionCategory(
            id: "fanfare.accept_decline",
            actions: [
                Action(id: "ACCEPT", title: "Accept", opensApp: true),
                Action(id: "DECLINE", title: "Decline", isDestructive: true),
            ]
        ),
        ActionCategory(
            id: "fanfare.yes_no",
            actions: [Action(id: "YES", title: "Yes", opensApp: true), Action(id: "NO", title: "No")]
        ),
        ActionCategory(
            id: "fanfare.confirm_cancel",
            actions: [
                Action(id: "CONFIRM", title: "Confirm", opensApp: true),
                Action(id: "CANCEL", title: "Cancel", isDestructive: true),
            ]
        ),
        ActionCategory(id: "fanfare.more", actions: [Action(id: "MORE", title: "More", opensApp: true)]),
    ]
}
