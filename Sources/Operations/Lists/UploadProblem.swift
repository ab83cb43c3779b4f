package import Campaigns
import Delivery

/// A reason why an upload cannot go on; what the ledger has of it stays.
package enum UploadProblem: Error, Equatable {
    /// There is no such upload, or it was abandoned.
    case unknown(id: String)
    /// The id belongs to the upload of another list.
    case otherList(id: String, name: String)
    /// The upload was begun in another format, or not in parts.
    case otherForm(id: String)
    /// The devices are not those that were uploaded under this id before.
    case differs(id: String)
    /// Another process goes on with it, or it was abandoned meanwhile.
    case taken(id: String)
    /// The upload is complete and cannot be abandoned.
    case complete(id: String)
    /// The bytes of a part do not have the hash that came with them.
    case damaged(part: Int)
    /// Another part has this number.
    case otherPart(id: String, part: Int)
    /// Parts before it are missing.
    case tooEarly(part: Int, next: Int)
    /// The upload has as many parts as it may have.
    case tooMany

    /// The answer for people and programs.
    package var document: ProblemDocument {
        let kind: ProblemDocument.Kind =
            switch self {
            case .unknown: .notFound
            case .damaged: .usage
            case .tooMany: .tooLarge
            default: .wrongState
            }
        let code: ProblemCode = kind == .notFound ? .unknownUpload : kind == .tooLarge ? .tooMany : .conflict
        let (title, fix) = words
        return ProblemDocument(kind, title: title, errors: [Problem(pointer: "", code: code, detail: title, fix: fix)])
    }

    private var words: (title: String, fix: String) {
        switch self {
        case .unknown(let id):
            ("There is no upload \(id)", "begin one; an upload that nobody goes on with for an hour is abandoned")
        case .otherList(let id, let name):
            ("The upload \(id) is of the list \(name)", "take another id, or give this list's name")
        case .otherForm(let id):
            ("The upload \(id) was begun in another form", "go on as it was begun, or take another id")
        case .differs(let id):
            (
                "The upload \(id) began with other devices",
                "go on with the same file, or take another id for a new upload"
            )
        case .taken(let id):
            ("The upload \(id) goes on elsewhere, or was abandoned", "ask for its state, then go on with the same id")
        case .complete(let id): ("The upload \(id) is complete", "remove its list: fanfare list rm")
        case .damaged(let part): ("The bytes of part \(part) do not have the given hash", "send the part again")
        case .otherPart(let id, let part):
            ("The upload \(id) has another part \(part)", "go on with the same file, or take another id")
        case .tooEarly(let part, let next):
            ("Part \(part) comes too early", "send part \(next) first; the upload's state has the number of parts")
        case .tooMany:
            ("The upload has \(UploadParts.countMax) parts already", "make the parts larger, or the list smaller")
        }
    }
}
