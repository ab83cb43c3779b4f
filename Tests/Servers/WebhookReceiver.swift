import Foundation

/// A webhook server written in Python without our code: it checks signatures with `hmac`, records requests and answers
/// as a test configures.
///
/// It is killed by its process id when its folder's test ends. May be used from any task.
public final class WebhookReceiver: Sendable {
    /// A received request.
    public struct Request: Sendable, Codable, Equatable {
        /// The request's path.
        public var path: String
        /// The `webhook-id`.
        public var id: String
        /// True if one of the signatures matches the secret, and the time is within five minutes.
        public var isSigned: Bool
        /// The `content-type`.
        public var contentType: String
        /// The body.
        public var body: String
        /// The connection's number.
        public var connection: Int
        /// The answer it got.
        public var answer: String
    }

    private let process: Process
    private let folder: String
    /// The port that it listens on, on 127.0.0.1.
    public let port: Int

    /// Starts a receiver; `certificate` and `key` are PEM files for https.
    public init(secret: String, certificate: String? = nil, key: String? = nil) async throws {
        folder = NSTemporaryDirectory() + "webhook-receiver-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.script, folder, secret, certificate ?? "", key ?? ""]
        try process.run()
        let file = folder + "/port"
        port = try await eventually("the receiver listens") {
            (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0) }
        }
    }

    deinit { stop() }

    /// Stops it and removes its folder.
    public func stop() {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Sets the next answers, in order; after the last one it answers 204.
    ///
    /// An answer is a status (`503`), one with Retry-After (`503 2`), `hang`, `close` or `big`.
    public func answer(_ answers: [String]) throws {
        try Data(answers.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/answers"), options: .atomic)
    }

    /// The requests received so far.
    public var requests: [Request] {
        let text = (try? String(contentsOfFile: folder + "/requests", encoding: .utf8)) ?? ""
        // The last line may be incomplete.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.compactMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    /// Waits until it has received `count` requests.
    public func requests(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [Request] {
        try await eventually("\(count) requests at the receiver", within: limit) {
            let requests = requests
            return requests.count >= count ? requests : nil
        }
    }

    private static let script = #"""
        import base64, hashlib, hmac, http.server, json, os, ssl, sys, threading, time
        folder, secret, certificate, key = sys.argv[1:]
        lock = threading.Lock()
        numbers = {}
        def right(headers, body):
            code = base64.b64decode(secret.removeprefix("whsec_"))
            stamp = headers.get("webhook-timestamp", "0")
            signed = headers.get("webhook-id", "").encode() + b"." + stamp.encode() + b"." + body
            want = "v1," + base64.b64encode(hmac.new(code, signed, hashlib.sha256).digest()).decode()
            return want in headers.get("webhook-signature", "").split(" ") and abs(time.time() - int(stamp)) < 300
        def next_answer():
            path = folder + "/answers"
            if not os.path.exists(path): return "204"
            lines = [line for line in open(path).read().split("\n") if line]
            if not lines: return "204"
            with open(path + ".new", "w") as file: file.write("\n".join(lines[1:]))
            os.replace(path + ".new", path)
            return lines[0]
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with lock:
                    number = numbers.setdefault(self.client_address, len(numbers) + 1)
                    answer = next_answer()
                    line = {"path": self.path, "id": self.headers.get("webhook-id", ""), "connection": number,
                            "isSigned": right(self.headers, body), "body": body.decode(), "answer": answer,
                            "contentType": self.headers.get("content-type", "")}
                    with open(folder + "/requests", "a") as file: file.write(json.dumps(line) + "\n")
                words = answer.split(" ")
                if words[0] == "hang": time.sleep(60)
                if words[0] in ("hang", "close"):
                    self.close_connection = True
                    return
                self.send_response(200 if words[0] == "big" else int(words[0]))
                if len(words) > 1: self.send_header("retry-after", words[1])
                if words[0].startswith("3"): self.send_header("location", "/elsewhere")
                reply = b"x" * 1000000 if words[0] == "big" else b""
                if words[0] != "204": self.send_header("content-length", str(len(reply)))
                self.end_headers()
                try: self.wfile.write(reply)
                except OSError: self.close_connection = True
        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            def handle_error(self, *arguments): pass
        server = Server(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        with open(folder + "/port.new", "w") as file: file.write(str(server.server_address[1]))
        os.replace(folder + "/port.new", folder + "/port")
        # Whoever started it may be killed.
        def watch(parent):
            while os.getppid() == parent: time.sleep(0.5)
            os._exit(0)
        threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
        server.serve_forever()
        """#
}
