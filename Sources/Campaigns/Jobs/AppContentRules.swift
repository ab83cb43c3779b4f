/// The rules that an app's declarations in `apps.yaml` set for its jobs: categories, variables, payload names.
///
/// Pure; used by intake and by everything that checks a job earlier.
public struct AppContentRules: Sendable, Equatable {
    /// The declared categories; if the app declares none, any is accepted.
    public var categories: [ActionCategory]
    /// The declared layouts: categories that select the in-app layout and need no buttons.
    ///
    /// If the app declares none, any is accepted.
    public var layouts: [String]
    /// The declared values, in the order of the file.
    public var variables: [AppVariable]
    /// The names under which the app reads the contents of the `fanfare` object.
    public var payloadNames: PayloadNames

    /// Creates the rules of an app; none by default.
    public init(
        categories: [ActionCategory] = [],
        layouts: [String] = [],
        variables: [AppVariable] = [],
        payloadNames: PayloadNames = PayloadNames()
    ) {
        self.categories = categories
        self.layouts = layouts
        self.variables = variables
        self.payloadNames = payloadNames
    }

    /// Returns a job with the app's defaults and names, as a provider's devices get it.
    ///
    /// A default `body` is only for FCM data messages, which the app displays: a notification that the system shows has
    /// the text of its producer. `job` already has the choices of the app's account; without a provider the result is
    /// for display by the app itself. A campaign's identity is the job as received: changed defaults do not make it
    /// another job.
    public func completed(_ job: Job, for provider: ProviderName? = nil) -> Job {
        var job = job
        let isDataMessage = provider == .fcm && job.delivery.android == .data
        job.payloadNames = payloadNames
        guard job.kind != .native else { return job }
        for variable in variables {
            guard let text = variable.standard, !has(variable.name, job) else { continue }
            switch variable.name {
            case "title": job.content.title = text
            case "body": if isDataMessage { job.content.body = text }
            case "url": job.content.url = text
            default: job.content.data.append(JSONMember(variable.name, .string(text)))
            }
        }
        return job
    }

    /// Returns the problems and warnings of a job, with pointers into the job.
    public func problems(_ job: Job) -> [Problem] {
        categoryProblems(job) + layoutProblems(job) + variableProblems(job) + nameProblems(job)
    }

    // MARK: - Categories

    private func categoryProblems(_ job: Job) -> [Problem] {
        guard !categories.isEmpty, let name = job.content.category else { return [] }
        // An app with one category for both may continue with it: a layout without buttons of its own.
        if layouts.contains(name), job.content.actions.isEmpty { return [] }
        let standard = ActionCategory.standard.filter { other in !categories.contains { $0.name == other.name } }
        guard let category = (categories + standard).first(where: { $0.name == name }) else {
            let near = Spelling.nearest(to: name, among: (categories + standard).map(\.name))
            return [
                Problem(
                    pointer: "/content/category",
                    code: .value,
                    detail: "\(job.app) has no category \(name.clipped)",
                    fix: near.map { "did you mean \($0)?" }
                        ?? "there are \((categories + standard).map(\.name).joined(separator: ", "))"
                )
            ]
        }
        return job.content.actions.enumerated().compactMap { index, link in
            guard let action = category.actions.first(where: { $0.id == link.id }) else {
                let near = Spelling.nearest(to: link.id, among: category.actions.map(\.id))
                return Problem(
                    pointer: "/content/actions/\(index)/id",
                    code: .value,
                    detail: "the category \(name) has no button \(link.id.clipped)",
                    fix: near.map { "did you mean \($0)?" }
                        ?? "it has \(category.actions.map(\.id).joined(separator: ", "))"
                )
            }
            guard !action.isForeground else { return nil }
            return Problem(
                pointer: "/content/actions/\(index)/url",
                code: .conflict,
                detail: "the button \(link.id) does not open the app, so it cannot open a link",
                fix: "leave the link out, or declare the button with foreground: true"
            )
        }
    }

    private func layoutProblems(_ job: Job) -> [Problem] {
        guard !layouts.isEmpty, let name = job.content.layout, !layouts.contains(name) else { return [] }
        return [
            Problem(
                pointer: "/content/layout",
                code: .value,
                detail: "\(job.app) has no layout \(name.clipped)",
                fix: Spelling.nearest(to: name, among: layouts).map { "did you mean \($0)?" }
                    ?? "there are \(layouts.joined(separator: ", "))"
            )
        ]
    }

    // MARK: - Variables

    private func variableProblems(_ job: Job) -> [Problem] {
        guard job.kind != .native else { return [] }
        return variables.filter { $0.isRequired && $0.standard == nil && !has($0.name, job) }.map { variable in
            let location = Self.isField(variable.name) ? "/content" : "/content/data"
            return Problem(
                pointer: location + JSONPointer.root.appending(variable.name).text,
                code: .required,
                detail: "\(job.app) needs \(variable.name) in every push",
                fix: "give it, or declare a default for it in apps.yaml"
            )
        }
    }

    private static func isField(_ name: String) -> Bool { ["title", "body", "url"].contains(name) }

    /// Returns true if a job has the value or cannot have it: a push that shows nothing has no title.
    private func has(_ name: String, _ job: Job) -> Bool {
        let content = job.content
        switch name {
        case "title": return content.title != nil || content.titleLocKey != nil || !content.hasAlert
        case "body": return content.body != nil || content.locKey != nil || !content.hasAlert
        case "url": return content.url != nil || !content.hasAlert
        default: return content.data.contains { $0.name == name }
        }
    }

    // MARK: - Names

    /// Returns problems of the producer's keys that collide with our names.
    private func nameProblems(_ job: Job) -> [Problem] {
        let names = Set(payloadNames.names.values)
        func taken(_ members: [JSONMember]?, _ location: String) -> [Problem] {
            (members ?? []).filter { names.contains($0.name) }.map { member in
                Problem(
                    pointer: location + JSONPointer.root.appending(member.name).text,
                    code: .reserved,
                    detail: "\(member.name) is one of the payload_names of \(job.app)",
                    fix: "choose another key"
                )
            }
        }
        return taken(job.content.data, "/content/data") + taken(job.content.apns?.members, "/content/apns")
            + taken(job.content.fcm?["data"]?.members, "/content/fcm/data")
    }
}
