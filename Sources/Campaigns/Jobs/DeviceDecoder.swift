/// Reads one device of a job or of a line of NDJSON.
enum DeviceDecoder {
    /// Names and values together, in bytes of UTF-8.
    static let variablesBytesMax = 4096
    static let idBytesMax = 256
    /// The providers that are built; the others of the contract come later.
    private static let laterProviders: Set<String> = ["fcm"]

    /// nil when something was reported that leaves no device.
    static func device(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) -> Device? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.device, log) else { return nil }
        return device(reader, variables: variables(reader))
    }

    /// A device as the registry takes it; nil when something was reported that leaves none.
    static func registration(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) -> DeviceRegistration? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.registration, log) else { return nil }
        let device = device(reader, variables: [:])
        var registration = DeviceRegistration(device: device ?? Device(token: ""))
        if reader.value("user", isNullable: true) == .null {
            registration.user = .nobody
        } else if let user = reader.text("user", bytesMax: DeviceRegistration.userBytesMax) {
            registration.user = .user(user)
            require(RegistrationRules.isUser(user), reader, "user", RegistrationRules.user)
        }
        if reader.has("tags") {
            let tags = reader.texts("tags", countMax: DeviceTraits.tagsMax)
            registration.tags = .set(tags)
            require(tags.allSatisfy(RegistrationRules.isTag), reader, "tags", "a tag has 1 to 128 bytes")
        }
        for member in reader.members("attributes") ?? [] {
            switch member.value {
            case .string(let text): registration.attributes[member.name] = .text(text)
            case .number(let number): registration.attributes[member.name] = .number(number)
            case .bool(let flag): registration.attributes[member.name] = .bool(flag)
            default:
                let place = pointer.appending("attributes").appending(member.name)
                let detail = "an attribute is a string, a number, true or false, not \(member.value.typeName)"
                log.refuse(.type, at: place, detail)
            }
        }
        let isWithin = RegistrationRules.areAttributes(registration.attributes)
        require(isWithin, reader, "attributes", RegistrationRules.attribute)
        registration.permission = reader.choice("permission", of: PushPermission.self)
        registration.appVersion = reader.text("app_version")
        if let version = registration.appVersion {
            let isVersion = RegistrationRules.isAppVersion(version)
            require(isVersion, reader, "app_version", "app_version must be a version such as 3.2.0")
        }
        registration.badge = reader.integer("badge", in: 0...Int64(BadgeStep.countMax)).map(Int.init)
        registration.registeredAt = reader.instant("registered_at")
        return device == nil ? nil : registration
    }

    private static func require(_ isFine: Bool, _ reader: ObjectReader, _ name: String, _ rule: String) {
        if !isFine { reader.log.refuse(.format, at: reader.pointer.appending(name), rule) }
    }

    private static func device(_ reader: ObjectReader, variables: [String: String]) -> Device? {
        let (pointer, log) = (reader.pointer, reader.log)
        let provider = provider(reader)
        reader.require("token")
        let token = reader.text("token").flatMap { text -> String? in
            if let token = DeviceToken.apns(text) { return token }
            log.refuse(.format, at: pointer.appending("token"), DeviceToken.apnsRule, mend: DeviceToken.mend(for: text))
            return nil
        }
        let environment = reader.choice("environment", of: PushEnvironment.self)
        let id = reader.text("id", bytesMax: idBytesMax)
        let locale = checked(reader, "locale", DeviceToken.isLocale, "a BCP 47 tag such as es-ES")
        let timeZone = checked(reader, "time_zone", DeviceToken.isTimeZone, "an IANA name such as Europe/Madrid")
        guard let provider, let token else { return nil }
        return Device(
            token: token,
            provider: provider,
            environment: environment,
            id: id,
            locale: locale,
            timeZone: timeZone,
            variables: variables
        )
    }

    private static func provider(_ reader: ObjectReader) -> ProviderName? {
        guard reader.has("provider") else { return .apns }
        guard let name = reader.choice("provider", among: ["apns"] + laterProviders) else { return nil }
        if laterProviders.contains(name) {
            let place = reader.pointer.appending("provider")
            reader.log.refuse(.notInThisVersion, at: place, "the provider \(name) is not in this version")
            return nil
        }
        return ProviderName(rawValue: name)
    }

    private static func checked(
        _ reader: ObjectReader,
        _ name: String,
        _ isValid: (String) -> Bool,
        _ form: String
    ) -> String? {
        guard let text = reader.text(name) else { return nil }
        if isValid(text) { return text }
        reader.log.refuse(.format, at: reader.pointer.appending(name), "\(name) must be \(form)")
        return nil
    }

    private static func variables(_ reader: ObjectReader) -> [String: String] {
        guard let members = reader.members("variables") else { return [:] }
        let place = reader.pointer.appending("variables")
        var variables: [String: String] = [:]
        var size = 0
        for member in members {
            let text: String
            switch member.value {
            case .string(let string): text = string
            case .number(let number): text = number.text
            case .bool(let flag): text = flag ? "true" : "false"
            default:
                let detail = "a variable is a string, a number, true or false, not \(member.value.typeName)"
                reader.log.refuse(.type, at: place.appending(member.name), detail)
                continue
            }
            if member.name.isEmpty || text.utf8.contains(0) || member.name.utf8.contains(0) {
                let detail = "a variable needs a name, and neither name nor value may have a NUL character"
                reader.log.refuse(.format, at: place.appending(member.name), detail)
                continue
            }
            size += member.name.utf8.count + text.utf8.count
            variables[member.name] = text
        }
        if size > variablesBytesMax {
            let detail = "the device's variables have \(size) bytes, at most \(variablesBytesMax) are allowed"
            reader.log.refuse(.tooLarge, at: place, detail)
        }
        return variables
    }
}

/// The forms of what identifies and describes a device.
public enum DeviceToken {
    /// Apple calls the length open; 64 digits today, 200 bytes at most here.
    public static let apnsDigits = 64...200

    static let apnsRule = "an APNs token is 64 to 200 hexadecimal digits, an even number of them"

    /// The token in lower case, nil when it is none: it becomes part of a path, so that nothing but digits may pass.
    public static func apns(_ text: String) -> String? {
        guard isAPNs(text.utf8) else { return nil }
        return text.utf8.contains { (65...70).contains($0) } ? text.lowercased() : text
    }

    static func isAPNs(_ bytes: some Collection<UInt8>) -> Bool {
        apnsDigits.contains(bytes.count) && bytes.count.isMultiple(of: 2) && bytes.allSatisfy(isHexDigit)
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }

    /// What is probably the matter, without saying the token.
    static func mend(for text: String) -> String? {
        let digits = text.utf8.lazy.filter(isHexDigit).count
        if text.utf8.first == UInt8(ascii: "<") || text.utf8.contains(UInt8(ascii: " ")), digits >= 64 {
            return "leave out the spaces and angle brackets"
        }
        if digits == text.utf8.count { return "it has \(digits) digits" }
        return text.utf8.contains(UInt8(ascii: ":")) ? "this looks like a token of FCM" : nil
    }

    /// Letters first, parts of 1–8 letters or digits after hyphens (BCP 47, RFC 5646 section 2.1).
    static func isLocale(_ text: String) -> Bool {
        guard text.utf8.count <= 64 else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = parts.first, (2...8).contains(language.count), language.allSatisfy(isLetter) else {
            return false
        }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || (48...57).contains($0) }
        }
    }

    /// The characters of the tz database's names; whether the zone exists is for whoever has the database.
    static func isTimeZone(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            JobIdentity.isWordByte(byte) && byte != UInt8(ascii: ".") || byte == UInt8(ascii: "/")
                || byte == UInt8(ascii: "+")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}
