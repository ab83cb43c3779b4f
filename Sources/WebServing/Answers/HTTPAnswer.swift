package import Campaigns
package import HTTPTypes
package import HummingbirdCore
import NIOCore

/// An answer to a request.
package struct HTTPAnswer: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: ResponseBody
    /// The owner of the body's bytes when other answers share them; kept until it is sent.
    package var owner: (any AnyObject & Sendable)?

    /// Creates an answer.
    package init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: ResponseBody = ResponseBody()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns an answer with a JSON body.
    package static func json(
        _ value: JSONValue,
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> HTTPAnswer {
        text(value.text + "\n", status, type: "application/json", headers: headers)
    }

    /// Returns an answer with a text of a type.
    package static func text(
        _ text: String,
        _ status: HTTPResponse.Status = .ok,
        type: String = "text/plain; charset=utf-8",
        headers: HTTPFields = [:]
    ) -> HTTPAnswer {
        var headers = headers
        headers[.contentType] = type
        return HTTPAnswer(status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Makes the answer to a refused request (RFC 9457).
    package init(_ problem: HTTPProblem) {
        self = .text(
            problem.document.json.text + "\n",
            problem.status,
            type: "application/problem+json",
            headers: problem.headers
        )
    }

    /// Adds the fields that every answer has.
    package mutating func complete(id: String?) {
        if let id { RequestID.set(id, in: &headers) }
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}
