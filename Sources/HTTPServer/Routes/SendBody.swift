import Campaigns
import Operations

/// A body of `POST /v1/sends`: the job made from it, the content that came with it, and the mapping of the job's
/// pointers to the body's.
///
/// Pure. Problems of the job are reported with pointers of the body that was sent.
struct SendBody {
    /// The job as producers publish it.
    let job: JSONValue
    /// The content that `content.rich` brought, to be stored before the job is published; nil without a usable one.
    let content: ContentUpload?
    /// The id of that content, valid or not.
    let contentID: String?
    /// Problems of the members that a job does not have.
    let problems: [Problem]
    private let receiver: Receiver
    /// True if the body has a block `delivery`; without it, the job's own has no position in the body.
    private let hasDelivery: Bool

    /// The receiver of a send.
    private enum Receiver: Equatable {
        case device, user
        /// No readable receiver.
        case nobody
    }

    /// Splits a body; `key` is the job's id when the body has none.
    init(_ members: [JSONMember], key: String?) {
        var problems: [Problem] = []
        var job = members.filter { !["device", "user", "audience"].contains($0.name) }
        let audience: JSONValue
        (receiver, audience) = Self.receiver(members, &problems)
        job.append(JSONMember("audience", audience))
        hasDelivery = members.contains { $0.name == "delivery" }
        Self.makeUrgent(&job)
        let id = members.first { $0.name == "id" }?.value.string ?? key
        (contentID, content) = Self.takeContent(outOf: &job, id: id, &problems)
        self.job = .object(job)
        self.problems = problems
    }

    // MARK: - Receiver

    private static func receiver(_ members: [JSONMember], _ problems: inout [Problem]) -> (Receiver, JSONValue) {
        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        func refuse(_ pointer: String, _ code: ProblemCode, _ detail: String, _ fix: String) {
            problems.append(Problem(pointer: pointer, code: code, detail: detail, fix: fix))
        }
        if value("audience") != nil {
            let fix = "leave audience out, or send a campaign"
            refuse("/audience", .conflict, "a send is for one device or one user", fix)
        }
        if let device = value("device") {
            if value("user") != nil {
                refuse("/user", .conflict, "device and user exclude each other", "leave one of them out")
            }
            return (.device, ["devices": [device]])
        }
        guard let user = value("user") else {
            refuse("/device", .required, "the device is missing", "add device with its token, or user")
            // A stand-in, so that the body's other problems are reported too.
            return (.nobody, ["everyone": true])
        }
        guard case .string = user else {
            refuse("/user", .type, "user must be a string, not \(user.typeName)", "give the user's key")
            return (.nobody, ["everyone": true])
        }
        return (.user, ["users": [user]])
    }

    /// Sets the urgency to `urgent`, unless the body names one or the kind sends no push.
    private static func makeUrgent(_ job: inout [JSONMember]) {
        if job.contains(where: { $0.name == "kind" && $0.value == .string(CampaignKind.inApp.rawValue) }) { return }
        guard let index = job.firstIndex(where: { $0.name == "delivery" }) else {
            job.append(JSONMember("delivery", ["urgency": "urgent"]))
            return
        }
        if case .object(let delivery) = job[index].value, !delivery.contains(where: { $0.name == "urgency" }) {
            job[index].value = .object(delivery + [JSONMember("urgency", "urgent")])
        }
    }

    // MARK: - Its content

    private static let richPointer = JSONPointer.root.appending("content").appending("rich")

    /// Moves the bytes out of `content.rich`, which then names them by id.
    private static func takeContent(
        outOf job: inout [JSONMember],
        id: String?,
        _ problems: inout [Problem]
    ) -> (id: String?, upload: ContentUpload?) {
        let own = ["content_type", "encoding", "body"]
        guard let at = job.firstIndex(where: { $0.name == "content" }), case .object(var block) = job[at].value,
            let richAt = block.firstIndex(where: { $0.name == "rich" }), case .object(let rich) = block[richAt].value,
            rich.contains(where: { own.contains($0.name) })
        else { return (nil, nil) }
        func given(_ name: String) -> JSONValue? { rich.first { $0.name == name }?.value }
        var named = rich.filter { !own.contains($0.name) }
        // Under the send's own id when the content has none.
        if given("id") == nil, let id { named.append(JSONMember("id", .string(id))) }
        block[richAt].value = .object(named)
        job[at].value = .object(block)

        let type = contentType(given("content_type"), &problems)
        let bytes = bytes(given("body"), encoding: given("encoding"), &problems)
        let ownID = named.first { $0.name == "id" }?.value.string
        // The job reports an invalid id.
        guard let type, let bytes, let ownID, NameRule.isID(ownID) else { return (ownID, nil) }
        var found: [Problem] = []
        let upload = ContentUpload(id: ownID, type: given("type")?.string, contentType: type, bytes: bytes, &found)
        problems += found.filter { $0.pointer == "/body" }.map { problem in
            var problem = problem
            problem.pointer = richPointer.appending("body").text
            return problem
        }
        return (ownID, upload)
    }

    private static func contentType(_ value: JSONValue?, _ problems: inout [Problem]) -> ContentType? {
        if let type = value?.string.flatMap({ ContentType(rawValue: $0) }) { return type }
        let known = ContentType.allCases.map(\.rawValue).joined(separator: ", ")
        problems.append(
            Problem(
                pointer: richPointer.appending("content_type").text,
                code: value == nil ? .required : .value,
                detail: value == nil ? "content_type is missing" : "content_type is not supported",
                fix: "use one of \(known)"
            )
        )
        return nil
    }

    private static func bytes(
        _ body: JSONValue?,
        encoding: JSONValue?,
        _ problems: inout [Problem]
    ) -> [UInt8]? {
        func refuse(_ name: String, _ code: ProblemCode, _ detail: String, _ fix: String) -> [UInt8]? {
            problems.append(Problem(pointer: richPointer.appending(name).text, code: code, detail: detail, fix: fix))
            return nil
        }
        guard let text = body?.string else {
            return refuse("body", body == nil ? .required : .type, "body must be a string", "give the content")
        }
        switch encoding {
        case nil, "text": return Array(text.utf8)
        case "base64":
            if let bytes = Base64Text.decode(text) { return bytes }
            let fix = "write it with the alphabet A-Z a-z 0-9 + / and padding, without line breaks"
            return refuse("body", .format, "body is not Base64 (RFC 4648, section 4)", fix)
        default: return refuse("encoding", .value, "encoding must be one of text, base64", "leave it out for a text")
        }
    }

    // MARK: - Pointers

    /// Returns a problem of the job with its pointer in the body.
    func translated(_ problem: Problem) -> Problem {
        var problem = problem
        problem.pointer = pointer(problem.pointer)
        return problem
    }

    /// Returns a refusal of the job with pointers in the body, and with the body's own problems.
    func translated(_ document: ProblemDocument) -> ProblemDocument {
        var document = document
        guard document.kind == .invalidJob else { return document }
        // Without a readable receiver the job has a stand-in, whose problems are not the body's.
        let errors = document.errors.filter { receiver != .nobody || !$0.pointer.hasPrefix("/audience") }
        document.errors = problems + errors.map(translated)
        document.warnings = document.warnings.map(translated)
        return document
    }

    /// Returns the refusal of a body whose job is valid.
    func refusal(campaign: String, warnings: [Problem]) -> ProblemDocument {
        ProblemDocument(
            .invalidJob,
            title: "The push cannot be sent",
            campaign: campaign,
            errors: problems,
            warnings: warnings
        )
    }

    private func pointer(_ pointer: String) -> String {
        if !hasDelivery, pointer.hasPrefix("/delivery") { return "" }
        guard pointer == "/audience" || pointer.hasPrefix("/audience/") else { return pointer }
        let own = receiver == .user ? "/user" : "/device"
        for entry in ["/audience/devices/0", "/audience/users/0"]
        where pointer == entry || pointer.hasPrefix(entry + "/") {
            return own + pointer.dropFirst(entry.count)
        }
        return own
    }
}
