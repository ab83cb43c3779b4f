/// The problems of well-formed jobs that only intake can find, in the form of every answer.
extension Problem {
    /// Another job has the same id.
    public static func campaignConflict(app: String, id: String) -> Problem {
        Problem(
            pointer: "/id",
            code: .campaignConflict,
            detail: "\(app) has a campaign \(id) with another job; that campaign goes on as it is",
            fix: "give this job an id of its own"
        )
    }

    /// No live worker has credentials for the app.
    public static func unknownApp(_ app: String) -> Problem {
        Problem(
            pointer: "/app",
            code: .unknownApp,
            detail: "no worker has credentials for \(app.clipped)",
            fix: "add the app to the apps file of each worker's host, then fanfare app reload; or fix the name"
        )
    }

    /// No live worker has the app's credentials for a provider of its devices; with `isWaiting` they wait for such a
    /// worker.
    public static func unservedProvider(
        _ provider: ProviderName,
        app: String,
        pointer: String,
        isWaiting: Bool = false
    ) -> Problem {
        let name = provider.rawValue
        return Problem(
            pointer: pointer,
            code: .unservedProvider,
            detail: "no worker has credentials for \(app) (\(name))" + (isWaiting ? ": its devices wait" : ""),
            fix: "add \(name) to \(app) in apps.yaml of a worker, or leave these devices out"
        )
    }

    /// The ledger lacks the list or its version; `store` describes the ledger, without its password.
    public static func unknownList(name: String, version: String?, store: String) -> Problem {
        Problem(
            pointer: "/audience/list",
            code: .unknownList,
            detail: "\(store) has no list \(version.map { name + "@" + $0 } ?? name)",
            fix: "upload it to that store: fanfare list put \(name) FILE --app APP"
        )
    }

    /// No live worker may broadcast for the app.
    public static func unservedChannel(app: String) -> Problem {
        Problem(
            pointer: "/audience/channel",
            code: .unservedProvider,
            detail: "no worker can broadcast for \(app.clipped): Apple takes it with a provider token alone",
            fix: "give the app's block apns in apps.yaml of a worker team_id, key_id and key_file"
        )
    }

    /// The app has no channel of this name; `store` describes the ledger, without its password.
    public static func unknownChannel(_ name: String, app: String, store: String) -> Problem {
        Problem(
            pointer: "/audience/channel",
            code: .unknownChannel,
            detail: "\(store) has no channel \(name) of \(app.clipped)",
            fix: "make it first: fanfare channel create \(name) --app \(app.clipped)"
        )
    }

    /// The app has no upload with this id, or it is of another list.
    public static func unknownUpload(_ id: String, list: String, of other: String?, store: String) -> Problem {
        Problem(
            pointer: "/audience/upload",
            code: .unknownUpload,
            detail: other.map { "the upload \(id) is of the list \($0)" }
                ?? "\(store) has no upload \(id); one that nobody goes on with for an hour is abandoned",
            fix: "begin it first: fanfare list put \(list) FILE --app APP --upload \(id)"
        )
    }

    /// The registry has no device of the app, so that the audience is empty.
    public static func emptyRegistry(app: String, selector: String) -> Problem {
        Problem(
            pointer: "/audience/\(selector)",
            code: .empty,
            detail: "the registry has no device of \(app.clipped)",
            fix: "register some: fanfare device import FILE --app \(app.clipped)"
        )
    }
}
