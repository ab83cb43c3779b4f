/// A request to the control address, read without I/O.
struct ControlRequest {
    /// The resource that a request asks for.
    enum Route {
        case statistics
        case tokens
        case last
        case alive
        case faults
        case reset
        case changeFaults([(name: String, value: String)])
        case device
        case changeDevice
        case takeArrived
        case revoke
        case subscriptions
    }

    let method: String
    let uri: String
    let body: [UInt8]

    func route(_ query: ControlQuery) throws(ControlProblem) -> Route {
        switch (method, uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first ?? "") {
        case ("GET", "/stats"): return .statistics
        case ("GET", "/tokens"): return .tokens
        case ("GET", "/last"): return .last
        case ("GET", "/livez"): return .alive
        case ("GET", "/faults"): return .faults
        case ("GET", "/device"): return .device
        case ("GET", "/subscriptions"): return .subscriptions
        case ("POST", "/device"): return .changeDevice
        case ("POST", "/device/take"): return .takeArrived
        case ("POST", "/reset"): return .reset
        case ("POST", "/revoke"): return .revoke
        case ("POST", "/faults"): return .changeFaults(try changes(query))
        default:
            throw ControlProblem(
                404,
                "there are GET /stats, /tokens, /last, /livez, /faults, /device, /subscriptions and POST /faults, /device, "
                    + "/device/take, /reset, /revoke; not \(method) \(uri)"
            )
        }
    }

    /// Returns the pairs after the question mark.
    func query() throws(ControlProblem) -> ControlQuery {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return try Self.pairs(parts.count == 2 ? parts[1] : "")
    }

    /// Parses pairs in the syntax of a query or a form.
    static func pairs(_ text: Substring) throws(ControlProblem) -> ControlQuery {
        var pairs: [(name: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = decoded(parts[0]), let value = decoded(parts[1]) else {
                throw ControlProblem(400, "the query must be name=value pairs joined by &")
            }
            pairs.append((name, value))
        }
        return ControlQuery(pairs: pairs)
    }

    /// Returns the changes of `POST /faults?dead=0.1&latency=50`, or of the same names as members of a JSON object.
    private func changes(_ query: ControlQuery) throws(ControlProblem) -> [(name: String, value: String)] {
        var changes = query.pairs.filter { $0.name != "provider" }
        guard !body.isEmpty else { return changes }
        guard case .object(let members)? = try? JSONNode(parsing: body[...]) else {
            throw ControlProblem(400, "the body must be one JSON object of fault names and values")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .string(let text), .number(let text): changes.append((name, text))
            case .bool(let isSet): changes.append((name, "\(isSet)"))
            case .null, .array, .object:
                throw ControlProblem(400, "\(name) must be a number, a string, true or false")
            }
        }
        return changes
    }

    /// Decodes percent-encoding (RFC 3986); `+` is a space, as in forms.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                    let low = rest.popFirst().flatMap(Hexadecimal.value)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The decoded pairs of a query, in order.
struct ControlQuery {
    let pairs: [(name: String, value: String)]

    /// The first value with a name.
    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
}

/// A fault of a request to the control address.
struct ControlProblem: Error {
    /// The HTTP status.
    let status: Int
    /// The fault and its fix.
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}
