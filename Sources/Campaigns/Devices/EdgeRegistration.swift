/// A device's registration of itself at the edge (contract, section 5).
public struct EdgeRegistration: Hashable, Sendable {
    /// The registration; `device.id` is the installation's id, and `device.token` is empty unless `saysToken`.
    public var registration: DeviceRegistration
    /// True if the device sends its token; otherwise the registry's token stays.
    public var saysToken: Bool
    /// All of the device's tokens for Live Activities; nil if the device says nothing of them, and they stay.
    public var activities: [ActivityToken]?

    /// Decodes the body of an installation's registration; reports everything that is wrong with it.
    public static func decode(
        _ value: JSONValue,
        installation id: String,
        _ tokens: TokenForms
    ) -> (registration: EdgeRegistration?, problems: [Problem]) {
        let log = ProblemLog()
        let registration = DeviceDecoder.edgeRegistration(value, installation: id, tokens, log)
        return (log.isEmpty ? registration : nil, log.all)
    }

    /// Returns true if a text may be an installation's id: 1 to 128 of `[A-Za-z0-9._:-]`.
    ///
    /// Ids with the prefix `token-` are reserved: the registry gives them to installations that were imported without
    /// an id.
    public static func isInstallation(_ text: String) -> Bool {
        NameRule.isID(text) && !text.hasPrefix("token-")
    }
}

extension DeviceDecoder {
    /// Decodes a device's registration of itself; returns nil, with a reported problem, if there is no usable device.
    static func edgeRegistration(
        _ value: JSONValue,
        installation id: String,
        _ tokens: TokenForms,
        _ log: ProblemLog
    ) -> EdgeRegistration? {
        guard let reader = ObjectReader(value, at: .root, JobFields.edgeDevice, log) else { return nil }
        let saysToken = reader.has("token")
        var device: Device?
        if saysToken {
            device = self.device(reader, tokens, id: id, variables: [:])
        } else {
            for name in ["provider", "environment"] where reader.has(name) {
                let location = reader.pointer.appending(name)
                log.refuse(
                    .conflict,
                    at: location,
                    "\(name) says whose the token is, and there is no token",
                    fix: "add token"
                )
            }
            let (locale, timeZone) = region(reader)
            device = Device(token: "", id: id, locale: locale, timeZone: timeZone)
        }
        var registration = DeviceRegistration(device: device ?? Device(token: ""))
        registration.tags = tags(reader)
        describe(&registration, reader)
        registration.kitVersion = reader.text("kit_version")
        if let version = registration.kitVersion {
            let isVersion = RegistrationRules.isAppVersion(version)
            require(isVersion, reader, "kit_version", "kit_version must be a version such as 1.0.0")
        }
        let activities = activities(reader, device, tokens)
        guard device != nil else { return nil }
        return EdgeRegistration(registration: registration, saysToken: saysToken, activities: activities)
    }

    private static func tags(_ reader: ObjectReader) -> DeviceRegistration.TagChange {
        guard let value = reader.value("tags"),
            let tags = ObjectReader(value, at: reader.pointer.appending("tags"), JobFields.edgeTags, reader.log)
        else { return .unchanged }
        let add = tags.texts("add", countMax: DeviceTraits.tagsMax)
        let remove = tags.texts("remove", countMax: DeviceTraits.tagsMax)
        require(add.allSatisfy(RegistrationRules.isTag), tags, "add", RegistrationRules.tag)
        require(remove.allSatisfy(RegistrationRules.isTag), tags, "remove", RegistrationRules.tag)
        return add.isEmpty && remove.isEmpty ? .unchanged : .change(add: add, remove: remove)
    }
}
