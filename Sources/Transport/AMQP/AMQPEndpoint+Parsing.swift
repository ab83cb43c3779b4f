extension AMQPEndpoint {
    /// Parses `amqp.url`.
    public init(parsing url: String) throws(AMQPEndpointError) {
        let (scheme, afterScheme) = try Self.scheme(url)
        let (beforeQuery, query) = Self.split(afterScheme, at: "?")
        let (authority, path) = Self.split(beforeQuery, at: "/")
        // The last @ ends the user part, so that a password with an unescaped @ works.
        let at = authority.lastIndex(of: "@")
        let hostList = at.map { authority[authority.index(after: $0)...] } ?? authority
        var user = "guest"
        var password = "guest"
        if let at {
            let (name, secret) = Self.split(authority[..<at], at: ":")
            user = try Self.decode(name, "the user")
            password = try Self.decode(secret ?? "", "the password")
        }
        let secure = scheme == "amqps"
        var hosts: [Host] = []
        for part in hostList.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try Self.host(part, defaultPort: secure ? 5671 : 5672))
        }
        var virtualHost = "/"
        if let path, !path.isEmpty {
            guard !path.contains("/") else {
                throw AMQPEndpointError("amqp.url has more than one / after the host: write %2F inside a virtual host")
            }
            virtualHost = try Self.decode(path, "the virtual host")
        }
        let tls = try Self.tls(query ?? "", secure: secure)
        self.init(hosts: hosts, user: user, password: password, virtualHost: virtualHost, tls: tls)
    }

    private static func scheme(_ url: String) throws(AMQPEndpointError) -> (String, Substring) {
        for scheme in ["amqp", "amqps"] where url.hasPrefix(scheme + "://") {
            return (scheme, url.dropFirst(scheme.count + 3))
        }
        throw AMQPEndpointError("amqp.url must begin with amqp:// or amqps://, as in amqp://user:password@host:5672")
    }

    private static func split(_ text: Substring, at separator: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: separator) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    private static func host(_ text: Substring, defaultPort: Int) throws(AMQPEndpointError) -> Host {
        var name = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw AMQPEndpointError("amqp.url has an IPv6 address without its closing ]")
            }
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw AMQPEndpointError("amqp.url has something between the ] of an IPv6 address and its port")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else {
            (name, port) = split(text, at: ":")
            guard port?.contains(":") != true else {
                throw AMQPEndpointError("amqp.url has an IPv6 address without brackets: write [::1]:5672")
            }
        }
        guard !name.isEmpty else { throw AMQPEndpointError("amqp.url has an empty host name") }
        guard let port else { return Host(name: String(name), port: defaultPort) }
        guard port.allSatisfy(\.isASCII), let number = UInt16(port), number > 0 else {
            throw AMQPEndpointError("amqp.url has a port that is not a number from 1 to 65535 after host \(name)")
        }
        return Host(name: String(name), port: Int(number))
    }

    private static func tls(_ query: Substring, secure: Bool) throws(AMQPEndpointError) -> TLSFiles? {
        var files = TLSFiles()
        for pair in query.split(separator: "&") {
            let (key, value) = split(pair, at: "=")
            let decoded = try decode(value ?? "", "the parameter \(key)")
            switch key {
            case "cacertfile": files.authorities = decoded
            case "certfile": files.certificate = decoded
            case "keyfile": files.key = decoded
            default:
                throw AMQPEndpointError(
                    "amqp.url has an unknown parameter \(key); known are cacertfile, certfile, keyfile"
                )
            }
            guard secure else { throw AMQPEndpointError("amqp.url has \(key), which needs amqps://") }
        }
        guard (files.certificate == nil) == (files.key == nil) else {
            throw AMQPEndpointError("amqp.url needs certfile and keyfile together, or neither")
        }
        return secure ? files : nil
    }

    private static func decode(_ text: Substring, _ part: String) throws(AMQPEndpointError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                throw AMQPEndpointError("amqp.url has a % without two hexadecimal digits in \(part): write % as %25")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw AMQPEndpointError("amqp.url has percent escapes that are not UTF-8 in \(part)")
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
