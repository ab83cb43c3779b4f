/// A decoder for devices in a job or on a line of NDJSON.
enum DeviceDecoder {
    /// The limit of names and values together, in bytes of UTF-8.
    static let variablesBytesMax = 4096
    static let idBytesMax = 256

    /// Returns nil, with a reported problem, if there is no usable device; without `tokens` the fields are already
    /// checked.
    static func device(
        _ value: JSONValue,
        at pointer: JSONPointer,
        _ tokens: TokenForms?,
        _ log: ProblemLog
    ) -> Device? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.device, log) else { return nil }
        return device(reader, tokens, id: reader.text("id", bytesMax: idBytesMax), variables: variables(reader))
    }

    /// Returns a device as the registry takes it; nil, with a reported problem, if there is no usable one.
    static func registration(
        _ value: JSONValue,
        at pointer: JSONPointer,
        _ tokens: TokenForms,
        _ log: ProblemLog
    ) -> DeviceRegistration? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.registration, log) else { return nil }
        let id = reader.text("id", bytesMax: idBytesMax)
        let device = device(reader, tokens, id: id, variables: [:])
        var registration = DeviceRegistration(device: device ?? Device(token: ""))
        if reader.has("tags") {
            let tags = reader.texts("tags", countMax: DeviceTraits.tagsMax)
            registration.tags = .set(tags)
            require(tags.allSatisfy(RegistrationRules.isTag), reader, "tags", RegistrationRules.tag)
        }
        describe(&registration, reader)
        registration.registeredAt = reader.instant("registered_at")
        return device == nil ? nil : registration
    }

    /// Reads the fields that an import line and a registration at the edge have in common.
    static func describe(_ registration: inout DeviceRegistration, _ reader: ObjectReader) {
        if reader.value("user", isNullable: true) == .null {
            registration.user = .nobody
        } else if let user = reader.text("user", bytesMax: DeviceRegistration.userBytesMax) {
            registration.user = .user(user)
            require(RegistrationRules.isUser(user), reader, "user", RegistrationRules.user)
        }
        for member in reader.members("attributes") ?? [] {
            switch member.value {
            case .string(let text): registration.attributes[member.name] = .text(text)
            case .number(let number): registration.attributes[member.name] = .number(number)
            case .bool(let flag): registration.attributes[member.name] = .bool(flag)
            default:
                let location = reader.pointer.appending("attributes").appending(member.name)
                let detail = "an attribute is a string, a number, true or false, not \(member.value.typeName)"
                reader.log.refuse(.type, at: location, detail)
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
    }

    static func require(_ isFine: Bool, _ reader: ObjectReader, _ name: String, _ rule: String) {
        if !isFine { reader.log.refuse(.format, at: reader.pointer.appending(name), rule) }
    }

    /// Reads token, provider, environment, locale and time zone.
    static func device(
        _ reader: ObjectReader,
        _ tokens: TokenForms?,
        id: String?,
        variables: [String: String]
    ) -> Device? {
        guard let tokens else { return checked(reader, id, variables) }
        let form = form(reader, tokens)
        reader.require("token")
        let token = reader.text("token").flatMap { text -> TokenReading? in
            guard let form else { return nil }
            if let token = form.token(text) { return token }
            reader.log.refuse(.format, at: reader.pointer.appending("token"), form.rule, fix: form.fix(for: text))
            return nil
        }
        let environment = form.flatMap { Self.environment(reader, $0) }
        let (locale, timeZone) = region(reader)
        guard let form, let token else { return nil }
        return Device(
            token: token.text,
            provider: form.provider,
            environment: token.environment ?? environment,
            id: id,
            locale: locale,
            timeZone: timeZone,
            variables: variables
        )
    }

    /// Reads locale and time zone.
    static func region(_ reader: ObjectReader) -> (locale: String?, timeZone: String?) {
        let locale = checked(reader, "locale", DeviceRule.isLocale, "a BCP 47 tag such as es-ES")
        return (locale, checked(reader, "time_zone", DeviceRule.isTimeZone, "an IANA name such as Europe/Madrid"))
    }

    /// Reads a device that was checked on arrival.
    private static func checked(_ reader: ObjectReader, _ id: String?, _ variables: [String: String]) -> Device? {
        reader.text("token").map { token in
            Device(
                token: token,
                provider: reader.text("provider").map { ProviderName(rawValue: $0) } ?? .apns,
                environment: reader.text("environment").flatMap { PushEnvironment(rawValue: $0) },
                id: id,
                locale: reader.text("locale"),
                timeZone: reader.text("time_zone"),
                variables: variables
            )
        }
    }

    /// Returns the token form of the device's provider, by default Apple's.
    private static func form(_ reader: ObjectReader, _ tokens: TokenForms) -> (any TokenForm)? {
        guard reader.has("provider") else { return tokens[.apns] }
        return reader.choice("provider", among: tokens.names).flatMap { tokens[ProviderName(rawValue: $0)] }
    }

    private static func environment(_ reader: ObjectReader, _ form: any TokenForm) -> PushEnvironment? {
        guard reader.has("environment") else { return nil }
        guard !form.environments.isEmpty else {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("environment"),
                TokenForms.noEnvironment(form.provider),
                fix: "leave environment out"
            )
            return nil
        }
        return reader.choice("environment", among: form.environments.map(\.rawValue))
            .flatMap { PushEnvironment(rawValue: $0) }
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
        let location = reader.pointer.appending("variables")
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
                reader.log.refuse(.type, at: location.appending(member.name), detail)
                continue
            }
            if member.name.isEmpty || text.utf8.contains(0) || member.name.utf8.contains(0) {
                let detail = "a variable needs a name, and neither name nor value may have a NUL character"
                reader.log.refuse(.format, at: location.appending(member.name), detail)
                continue
            }
            size += member.name.utf8.count + text.utf8.count
            variables[member.name] = text
        }
        if size > variablesBytesMax {
            let detail = "the device's variables have \(size) bytes, at most \(variablesBytesMax) are allowed"
            reader.log.refuse(.tooLarge, at: location, detail)
        }
        return variables
    }
}
