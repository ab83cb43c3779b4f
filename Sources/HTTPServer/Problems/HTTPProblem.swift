import Campaigns
import HTTPTypes

/// The reason for a refusal: the one document for every problem (RFC 9457), with header fields that go with it.
struct HTTPProblem: Error {
    let document: ProblemDocument
    let headers: HTTPFields

    init(_ document: ProblemDocument, headers: HTTPFields = [:]) {
        self.document = document
        self.headers = headers
    }

    init(_ kind: ProblemDocument.Kind, _ title: String, headers: HTTPFields = [:]) {
        self.init(ProblemDocument(kind, title: title), headers: headers)
    }

    var status: HTTPResponse.Status { HTTPResponse.Status(code: document.kind.status) }
}
