extension Job {
    /// Returns the common name of campaigns that collapse in the queue: app, constant collapse id, and audience by
    /// name.
    ///
    /// Returns nil for a campaign that collapses with none. A list's version and the exclusion are not part of the
    /// name.
    ///
    /// - Parameter devicesVersion: An identifier of the inline devices, for example the version of the list that they
    ///   make.
    public func collapseName(devicesVersion: String?) -> [UInt8]? {
        guard delivery.supersede, let id = delivery.collapseID, !id.contains("{{"), !id.contains("{%") else {
            return nil
        }
        let who: [JSONValue]
        switch audience {
        case .devices:
            guard let devicesVersion else { return nil }
            who = ["devices", .string(devicesVersion)]
        case .list(let name, _): who = ["list", .string(name)]
        case .users(let users): who = ["users"] + users.sorted().map(JSONValue.string)
        case .segment(let segment): who = ["segment", .string(segment.text)]
        case .everyone: who = ["everyone"]
        case .channel(let name): who = ["channel", .string(name)]
        case .activity(let name): who = ["activity", .string(name.type), .string(name.id)]
        }
        return JSONWriter.bytes(.array([.string(app), .string(id)] + who))
    }
}
