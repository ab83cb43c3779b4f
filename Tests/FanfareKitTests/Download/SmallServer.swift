import Foundation

/// An HTTP server with a few answers, some of them invalid, on a free loopback port.
///
/// Safety: nothing changes after `init`; each connection has its own thread.
final class SmallServer: @unchecked Sendable {
    /// The answer for a path.
    enum Answer {
        case bytes(type: String, Data)
        case status(Int)
        /// Bytes without an end and without a length.
        case endless(type: String)
        /// The request is read and never answered.
        case silent
    }

    struct NoPort: Error {}

    private let socket: Int32
    let port: Int
    private let answers: [String: Answer]

    init(_ answers: [String: Answer]) throws {
        self.answers = answers
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw NoPort() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    /// Stops the server; silent connections end with the test's process.
    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    func url(_ path: String) -> URL? { URL(string: "http://127.0.0.1:\(port)\(path)") }

    private func serve(_ connection: Int32) {
        var question = [UInt8](repeating: 0, count: 4096)
        let count = max(0, recv(connection, &question, question.count, 0))
        let words = String(decoding: question[..<count], as: UTF8.self).split(separator: " ")
        let path = words.count > 1 ? String(words[1]) : ""
        func say(_ data: Data) -> Bool {
            data.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == data.count
        }
        func head(_ status: Int, _ fields: String) -> Data {
            Data("HTTP/1.1 \(status) \r\nConnection: close\r\n\(fields)\r\n".utf8)
        }
        switch answers[path] ?? .status(404) {
        case .bytes(let type, let data):
            _ = say(head(200, "Content-Type: \(type)\r\nContent-Length: \(data.count)\r\n") + data)
        case .status(let status): _ = say(head(status, "Content-Length: 0\r\n"))
        case .endless(let type):
            _ = say(head(200, "Content-Type: \(type)\r\n"))
            while say(Data(count: 16_384)) {}
        case .silent:
            // Until the peer closes.
            while recv(connection, &question, question.count, 0) > 0 {}
        }
        close(connection)
    }
}
