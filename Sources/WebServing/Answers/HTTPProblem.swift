package import Campaigns
package import HTTPTypes

/// The reason for a refusal: the one document for every problem (RFC 9457), with header fields that go with it.
package struct HTTPProblem: Error {
    package let document: ProblemDocument
    package let headers: HTTPFields

    /// Makes a refusal from a whole document.
    package init(_ document: ProblemDocument, headers: HTTPFields = [:]) {
        self.document = document
        self.headers = headers
    }

    /// Makes a refusal with a title only.
    package init(_ kind: ProblemDocument.Kind, _ title: String, headers: HTTPFields = [:]) {
        self.init(ProblemDocument(kind, title: title), headers: headers)
    }

    /// The status of the answer.
    package var status: HTTPResponse.Status { HTTPResponse.Status(code: document.kind.status) }
}
