extension ActionCategory {
    /// The standard categories, which need no declaration: accept or decline, yes or no, confirm or cancel, more.
    ///
    /// The server knows the same names without any declaration by the app.
    ///
    ///     options.categories = ActionCategory.standard
    public static let standard = [
        ActionCategory(
            id: "ACCEPT_DECLINE",
            actions: [
                Action(id: "ACCEPT", title: "Accept", opensApp: true),
                Action(id: "DECLINE", title: "Decline", isDestructive: true),
            ]
        ),
        ActionCategory(
            id: "YES_NO",
            actions: [Action(id: "YES", title: "Yes", opensApp: true), Action(id: "NO", title: "No")]
        ),
        ActionCategory(
            id: "CONFIRM_CANCEL",
            actions: [
                Action(id: "CONFIRM", title: "Confirm", opensApp: true),
                Action(id: "CANCEL", title: "Cancel", isDestructive: true),
            ]
        ),
        ActionCategory(id: "MORE", actions: [Action(id: "MORE", title: "More", opensApp: true)]),
    ]
}
