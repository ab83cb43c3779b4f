import Campaigns
import HTTP2
import NIOCore

/// The requests of phones that open a push, one for each phone, all of the same length.
///
/// Written straight into the outgoing buffer, without an allocation: the measured machine itself sends half a million
/// of them.
final class EdgeOpens: Sendable {
    private let secrets: [UInt8]
    private let secretBytes: Int
    private let messageIDs: [UInt8]
    /// A body with room for the event's number and the message id.
    private let body: [UInt8]
    private let numberOffset: Int
    private let idOffset: Int
    /// A request of HTTP/1.1 up to the secret.
    private let head: [UInt8]
    private let headers: PreparedHeaders

    private static let path = Array("/v1/tracking".utf8)
    private static let scheme = Array("Bearer ".utf8)
    private static let numberDigits = 12

    /// - Parameter secrets: As many as message ids, concatenated.
    init(secrets: [UInt8], messageIDs: [String], at: String) {
        let count = messageIDs.count
        precondition(count > 0 && secrets.count % count == 0, "\(secrets.count) bytes of secrets for \(count) phones")
        self.secrets = secrets
        secretBytes = secrets.count / count
        self.messageIDs = messageIDs.flatMap { Array($0.utf8) }
        precondition(self.messageIDs.count == count * MessageIDPlaceholder.byteCount, "message ids of another length")
        let front = Array("{\"events\":[{\"id\":\"0a1b2c3d-0000-4000-8000-".utf8)
        let middle = Array("\",\"m\":\"".utf8)
        let back = Array("\",\"type\":\"opened\",\"surface\":\"system\",\"at\":\"\(at)\"}]}".utf8)
        numberOffset = front.count
        idOffset = front.count + Self.numberDigits + middle.count
        body =
            front + [UInt8](repeating: UInt8(ascii: "0"), count: Self.numberDigits) + middle
            + MessageIDPlaceholder.blank
            + back
        let request = """
            POST \(String(decoding: Self.path, as: UTF8.self)) HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Authorization: \(String(decoding: Self.scheme, as: UTF8.self))
            """
        head = Array(request.utf8)
        headers = PreparedHeaders(
            scheme: "http",
            authority: "127.0.0.1",
            fields: [HeaderField("content-type", "application/json"), HeaderField("content-length", "\(body.count)")],
            perRequestName: "authorization"
        )
    }

    /// Appends a phone's request in HTTP/1.1.
    func appendHTTP1(_ number: Int, to buffer: inout ByteBuffer) {
        buffer.writeBytes(head)
        withSecret(of: number) { _ = buffer.writeBytes($0) }
        buffer.writeStaticString("\r\n\r\n")
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: body.count) { writeBody(number, to: $0) }
    }

    /// Fills in a phone's request in HTTP/2, tagged with its number.
    func fill(_ number: Int, _ request: inout RequestWriter) {
        request.tag = UInt64(number)
        request.setHeaders(headers)
        Self.path.withUnsafeBytes { request.setPath($0) }
        request.setPerRequestValue(capacity: Self.scheme.count + secretBytes) { room in
            room.copyBytes(from: Self.scheme)
            withSecret(of: number) {
                UnsafeMutableRawBufferPointer(rebasing: room[Self.scheme.count...]).copyMemory(from: $0)
            }
            return room.count
        }
        request.setBody(capacity: body.count) { writeBody(number, to: $0) }
    }

    private func withSecret(of number: Int, _ use: (UnsafeRawBufferPointer) -> Void) {
        secrets.withUnsafeBytes { bytes in
            use(UnsafeRawBufferPointer(rebasing: bytes[(number * secretBytes)..<((number + 1) * secretBytes)]))
        }
    }

    private func writeBody(_ number: Int, to room: UnsafeMutableRawBufferPointer) -> Int {
        let idBytes = MessageIDPlaceholder.byteCount
        body.withUnsafeBytes { room.copyMemory(from: $0) }
        var (offset, left) = (numberOffset + Self.numberDigits, number)
        while left > 0 {
            offset -= 1
            room[offset] = UInt8(ascii: "0") + UInt8(left % 10)
            left /= 10
        }
        messageIDs.withUnsafeBytes { bytes in
            let id = UnsafeRawBufferPointer(rebasing: bytes[(number * idBytes)..<((number + 1) * idBytes)])
            UnsafeMutableRawBufferPointer(rebasing: room[idOffset...]).copyMemory(from: id)
        }
        return body.count
    }
}
