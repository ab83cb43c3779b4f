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

    func route(_ query: FormPairs) throws(ControlProblem) -> Route {
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
    func query() throws(ControlProblem) -> FormPairs {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let query = FormPairs(parts.count == 2 ? parts[1] : "") else {
            throw ControlProblem(400, "the query must be name=value pairs joined by &")
        }
        return query
    }

    /// Returns the changes of `POST /faults?dead=0.1&latency=50`, or of the same names as members of a JSON object.
    private func changes(_ query: FormPairs) throws(ControlProblem) -> [(name: String, value: String)] {
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
