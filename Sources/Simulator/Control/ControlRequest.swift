/// A request to the control address, read without I/O.
struct ControlRequest {
    /// What is asked for.
    enum Route {
        case statistics
        case tokens
        case last
        case alive
        case faults
        case reset
        case changeFaults([(name: String, value: String)])
        /// An HTTP status with a text that says how to mend it.
        case problem(Int, String)
    }

    let method: String
    let uri: String
    let body: [UInt8]

    func route(faults: Faults) -> Route {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count == 2 ? parts[1] : ""
        switch (method, parts.first ?? "") {
        case ("GET", "/stats"): return .statistics
        case ("GET", "/tokens"): return .tokens
        case ("GET", "/last"): return .last
        case ("GET", "/livez"): return .alive
        case ("GET", "/faults"): return .faults
        case ("POST", "/reset"): return .reset
        case ("POST", "/faults"): return changes(query: query)
        default:
            return .problem(
                404,
                "there are GET /stats, /tokens, /last, /livez, /faults and POST /faults, /reset; not \(method) \(uri)"
            )
        }
    }

    /// `POST /faults?dead=0.1&latency=50`, or the same names as members of a JSON object.
    private func changes(query: Substring) -> Route {
        var changes: [(name: String, value: String)] = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]) else {
                return .problem(400, "the query must be name=value pairs joined by &")
            }
            changes.append((name, value))
        }
        guard !body.isEmpty else { return .changeFaults(changes) }
        guard case .object(let members)? = try? JSONNode(parsing: body[...]) else {
            return .problem(400, "the body must be one JSON object of fault names and values")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .string(let text), .number(let text): changes.append((name, text))
            case .bool(let isSet): changes.append((name, "\(isSet)"))
            case .null, .array, .object: return .problem(400, "\(name) must be a number, a string, true or false")
            }
        }
        return .changeFaults(changes)
    }

    /// Percent-decoding (RFC 3986); `+` is a space, as forms have it.
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
