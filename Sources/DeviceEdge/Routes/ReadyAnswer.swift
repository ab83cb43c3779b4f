import Campaigns
import HTTPTypes
import NIOCore
import WebServing

/// An answer that is the same for everybody, built once; its writer adds id and date.
struct ReadyAnswer: Sendable {
    let status: HTTPResponse.Status
    /// Its own fields, and those of every answer of the edge.
    let headers: HTTPFields
    let body: ByteBuffer
    /// The same as a route's answer.
    let answer: HTTPAnswer

    init(_ value: JSONValue, _ status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        let text = value.text + "\n"
        answer = .json(value, status, headers: headers)
        var complete = answer
        complete.complete(id: nil)
        complete.headers[.contentLength] = String(text.utf8.count)
        self.status = status
        self.headers = complete.headers
        body = ByteBuffer(string: text)
    }

    /// Builds a refusal.
    init(_ refusal: EdgeRefusal) { self.init(refusal.json, refusal.status, headers: refusal.headers) }
}
