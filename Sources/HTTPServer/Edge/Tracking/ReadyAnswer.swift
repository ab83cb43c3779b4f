import Campaigns
import HTTPTypes
import NIOCore

/// An answer that is the same for everybody, put together once; its id and its date are left to who sends it.
struct ReadyAnswer: Sendable {
    let status: HTTPResponse.Status
    /// Its own, and those that every answer of the edge has.
    let headers: HTTPFields
    let body: ByteBuffer
    /// The same for a route to give.
    let answer: Answer

    init(_ value: JSONValue, _ status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        let text = value.text + "\n"
        answer = .json(value, status, headers: headers)
        var complete = answer
        Front.complete(&complete, id: nil)
        complete.headers[.contentLength] = String(text.utf8.count)
        self.status = status
        self.headers = complete.headers
        body = ByteBuffer(string: text)
    }

    /// A refusal.
    init(_ refusal: EdgeRefusal) { self.init(refusal.json, refusal.status, headers: refusal.headers) }
}
