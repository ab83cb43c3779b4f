package import Campaigns
import HTTPTypes
package import HummingbirdCore
package import NIOCore

/// Reads bodies up to a limit.
package enum BodyReader {
    /// One byte more than a job may have, so that a larger job is refused by the rules of jobs.
    package static let jobMax = JSONReader.Limits().bytesMax + 1
    /// The limit of all other JSON bodies.
    package static let smallMax = 65_536

    /// Returns the bytes of a JSON body; throws 400, 413 and 415.
    package static func json(_ request: Request, upTo most: Int = smallMax) async throws -> [UInt8] {
        try require(request, types: ["application/json"])
        return try await bytes(request, upTo: most)
    }

    /// Returns the value of a JSON body; throws 413, 415, and 400 with all problems of the text.
    package static func value(_ request: Request, upTo most: Int = smallMax) async throws -> JSONValue {
        let reading = JSONReader.read(try await json(request, upTo: most), limits: JSONReader.Limits(bytesMax: most))
        guard reading.problems.isEmpty, let value = reading.value else {
            throw HTTPProblem(
                ProblemDocument(.usage, title: "The body is not JSON", errors: reading.problems.map(\.problem))
            )
        }
        return value
    }

    /// Throws 415 unless the body has one of the types; returns its type.
    @discardableResult
    package static func require(_ request: Request, types: [String]) throws(HTTPProblem) -> String {
        let field = request.headers[.contentType] ?? ""
        if types.contains(field) { return field }
        let type = field.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        guard types.contains(type) else {
            throw HTTPProblem(
                .mediaType,
                "the body must be \(types.joined(separator: " or ")), named in content-type",
                headers: [.accept: types.joined(separator: ", ")]
            )
        }
        return type
    }

    /// The type of a body whose own type is named elsewhere.
    static let bytesType = "application/octet-stream"

    /// Returns the type of a body that has one of the types; throws 400 and 415.
    ///
    /// It is that of Content-Type, or of the query's `content_type` if Content-Type says no more than that the body is
    /// bytes, as that of a generated client does.
    package static func type(of request: Request, _ query: Query, among types: [String]) throws(HTTPProblem) -> String {
        guard let type = query["content_type"] else { return try require(request, types: types) }
        guard types.contains(type) else {
            throw HTTPProblem(.usage, "content_type is \(types.joined(separator: " or "))")
        }
        try require(request, types: [bytesType, type])
        return type
    }

    /// Returns the bytes of a body of any type; throws 413, and 400 for one that breaks off.
    package static func bytes(_ request: Request, upTo most: Int) async throws -> [UInt8] {
        let tooLarge = HTTPProblem(.tooLarge, "the body has more than \(most) bytes")
        // Refused by the announced length, before the client sends the body.
        if let said = request.headers[.contentLength].flatMap({ Int($0) }), said > most { throw tooLarge }
        var bytes: [UInt8] = []
        try await pieces(request) { piece in
            guard bytes.count + piece.readableBytes <= most else { throw tooLarge }
            bytes.append(contentsOf: piece.readableBytesView)
            return true
        }
        return bytes
    }

    /// Passes on the pieces of a body as they come, until `take` returns false; throws 400 where the client breaks off.
    package static func pieces(_ request: Request, _ take: (ByteBuffer) async throws -> Bool) async throws {
        var pieces = request.body.makeAsyncIterator()
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await pieces.next()
            } catch {
                // A server that stops ends the input itself.
                if Task.isCancelled { throw CancellationError() }
                // The client hung up, or sent bytes that are not HTTP: no defect of ours.
                throw HTTPProblem(.usage, "the body broke off before its end")
            }
            guard let piece, try await take(piece) else { return }
        }
    }
}
