/// The rules by which APNs judges a request, apart from the device's state.
///
/// Pure: a request, the connection's facts and the clock go in, a finding comes out. Written from Apple's pages,
/// sharing no code with the sender. Apple does not document which of several mistakes is reported. Here the order is:
/// path, credential, headers, topic, payload, token.
struct APNsRules {
    /// The verdict of the rules on a request.
    enum Finding: Equatable {
        /// Well formed and allowed; the device decides the rest.
        case passed(DeviceTokenKey)
        /// Refused; with the token if the path had one.
        case refused(APNsReason, DeviceTokenKey?)
    }

    /// The most bytes of a collapse identifier.
    ///
    /// Apple: "must be no larger than 64 bytes".
    static let collapseIDBytesMost = 64

    let tokens: ProviderTokens
    private let topics: [[UInt8]]

    init(tokens: ProviderTokens) {
        self.tokens = tokens
        topics = tokens.access.topics.map { Array($0.utf8) }
    }

    private var access: APNsAccess { tokens.access }

    /// Judges a request; `now` is in seconds since 1970.
    func finding(
        on request: borrowing ProviderRequest,
        connection: inout APNsConnectionFacts,
        now: Int64
    ) -> Finding {
        let address: ArraySlice<UInt8>
        switch tokenText(of: request) {
        case .success(let text): address = text
        case .failure(let refusal): return .refused(refusal.reason, nil)
        }
        let token = DeviceTokenKey(hexadecimal: address)
        if request.hasDuplicates { return .refused(.duplicateHeaders, token) }
        if let reason = credentialReason(request, connection: &connection, now: now) { return .refused(reason, token) }
        connection.isAuthenticated = true
        if let reason = headerReason(request) { return .refused(reason, token) }
        let type: PushType
        switch pushType(of: request, connection: connection) {
        case .success(let found): type = found
        case .failure(let refusal): return .refused(refusal.reason, token)
        }
        if let reason = payloadReason(request, type: type) { return .refused(reason, token) }
        guard let token else { return .refused(.badDeviceToken, nil) }
        return .passed(token)
    }

    /// Returns the text after `/3/device/`.
    private func tokenText(of request: borrowing ProviderRequest) -> Result<ArraySlice<UInt8>, APNsRefusal> {
        let prefix: StaticString = "/3/device"
        guard let path = request[.path], Self.starts(path, with: prefix) else { return .failure(.init(.badPath)) }
        let rest = path.dropFirst(prefix.utf8CodeUnitCount)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return .failure(.init(.badPath)) }
        guard let method = request[.method], method.elementsEqual("POST".utf8) else {
            return .failure(.init(.methodNotAllowed))
        }
        let text = rest.dropFirst()
        guard !text.isEmpty else { return .failure(.init(.missingDeviceToken)) }
        guard !text.contains(UInt8(ascii: "/")) else { return .failure(.init(.badPath)) }
        return .success(text)
    }

    private func headerReason(_ request: borrowing ProviderRequest) -> APNsReason? {
        if let id = request[.id], !Self.isCanonicalUUID(id) { return .badMessageID }
        // 32 bits of seconds last until 2106; larger values are dates in milliseconds.
        if let expiration = request[.expiration] {
            guard let seconds = DecimalDigits.value(expiration), seconds <= Int64(UInt32.max) else {
                return .badExpirationDate
            }
        }
        if let priority = request[.priority] {
            guard let number = DecimalDigits.value(priority), number == 1 || number == 5 || number == 10 else {
                return .badPriority
            }
        }
        if let collapseID = request[.collapseID] {
            guard !collapseID.isEmpty, collapseID.count <= Self.collapseIDBytesMost else { return .badCollapseID }
        }
        return nil
    }

    private func payloadReason(_ request: borrowing ProviderRequest, type: PushType) -> APNsReason? {
        if request.bodyBytes == 0 { return .payloadEmpty }
        if request.bodyBytes > type.payloadBytesMost { return .payloadTooLarge }
        // Apple names no separate reason for a body that is no payload.
        guard let facts = try? PayloadFacts(request.body[...]) else { return .payloadEmpty }
        if type.needsAps && !facts.hasAps { return .payloadEmpty }
        guard request[.pushType] == nil || facts.matches(type) else { return .invalidPushType }
        // Apple: "Always use priority 5. Using priority 10 is an error". An absent header means 10.
        guard type != .background || request[.priority].flatMap(DecimalDigits.value) == 5 else { return .badPriority }
        return nil
    }
}

extension APNsRules {
    /// Returns the push type after checking that the topic is allowed for it.
    private func pushType(
        of request: borrowing ProviderRequest,
        connection: APNsConnectionFacts
    ) -> Result<PushType, APNsRefusal> {
        var type: PushType?
        if let header = request[.pushType] {
            guard let known = PushType(header: header) else { return .failure(.init(.invalidPushType)) }
            type = known
        }
        let certificate = connection.token == nil ? certificate(of: connection) : nil
        guard let topic = request[.topic] ?? certificate.flatMap(Self.onlyTopic) else {
            return .failure(.init(.missingTopic))
        }
        guard !topic.isEmpty, topic.count <= 255, topic.allSatisfy(Self.mayBeInTopic) else {
            return .failure(.init(.badTopic))
        }
        // Without the header, APNs infers the type from the topic.
        let meant = type ?? PushType.suffixed.first { Self.ends(topic, with: $0.topicSuffix) } ?? .alert
        if connection.token == nil && meant.needsProviderToken { return .failure(.init(.topicDisallowed)) }
        guard isAllowed(topic, for: meant), isCovered(topic, connection: connection, certificate: certificate) else {
            return .failure(.init(.topicDisallowed))
        }
        return .success(meant)
    }

    /// Returns true if the topic is a known bundle identifier with the type's suffix.
    private func isAllowed(_ topic: ArraySlice<UInt8>, for type: PushType) -> Bool {
        // An MDM topic is the UID of its certificate, not a bundle identifier.
        if type == .mdm { return true }
        guard Self.ends(topic, with: type.topicSuffix) else { return false }
        let bundle = topic.dropLast(type.topicSuffix.utf8CodeUnitCount)
        if !topics.isEmpty { return topics.contains { $0.elementsEqual(bundle) } }
        return !PushType.suffixed.contains { Self.ends(bundle, with: $0.topicSuffix) }
    }

    /// Returns true if the connection's credential is for a topic.
    func isCovered(_ topic: ArraySlice<UInt8>, connection: APNsConnectionFacts) -> Bool {
        let certificate = connection.token == nil ? certificate(of: connection) : nil
        return isCovered(topic, connection: connection, certificate: certificate)
    }

    private func isCovered(
        _ topic: ArraySlice<UInt8>,
        connection: APNsConnectionFacts,
        certificate: APNsAccess.ClientCertificate?
    ) -> Bool {
        if let token = connection.token {
            guard let only = access.keys[token.key].topics else { return true }
            return only.contains { topic.starts(with: $0.utf8) }
        }
        guard let certificate else { return true }
        return certificate.topics.contains { topic.elementsEqual($0.utf8) }
    }

    private func certificate(of connection: APNsConnectionFacts) -> APNsAccess.ClientCertificate? {
        access.certificates.first { $0.commonName == connection.certificateName }
    }

    private static func onlyTopic(of certificate: APNsAccess.ClientCertificate) -> ArraySlice<UInt8>? {
        guard certificate.topics.count == 1, let only = certificate.topics.first else { return nil }
        return Array(only.utf8)[...]
    }
}

extension APNsRules {
    /// Returns the fault of the credential; stores a valid token in the connection.
    func credentialReason(
        _ request: borrowing ProviderRequest,
        connection: inout APNsConnectionFacts,
        now: Int64
    ) -> APNsReason? {
        // Apple: with a certificate the header is ignored.
        if let name = connection.certificateName { return certificateReason(name) }
        guard let authorization = request[.authorization] else { return .missingProviderToken }
        if let token = connection.token, token.authorization.elementsEqual(authorization) {
            return ageReason(token, now: now)
        }
        let token: ProviderToken
        switch tokens.token(from: authorization, now: now) {
        case .success(let found): token = found
        case .failure(let refusal): return refusal.reason
        }
        if connection.keys.insert(token.key).inserted { tokens.note(keysOfConnection: connection.keys.count) }
        if let reason = ageReason(token, now: now) { return reason }
        let key = access.keys[token.key]
        if let only = key.environment, only != access.environment { return .badEnvironmentKey }
        if let first = connection.firstKey {
            let begun = access.keys[first]
            guard begun.teamID == key.teamID, (begun.topics == nil) == (key.topics == nil) else { return .unrelatedKey }
        }
        if let last = connection.token, last.key == token.key,
            now - connection.tokenSeenAt < access.tokenUpdateSecondsLeast
        {
            return .tooManyProviderTokenUpdates
        }
        connection.firstKey = connection.firstKey ?? token.key
        connection.token = token
        connection.tokenSeenAt = now
        return nil
    }

    private func certificateReason(_ name: String) -> APNsReason? {
        guard !access.certificates.isEmpty else { return nil }
        guard let certificate = access.certificates.first(where: { $0.commonName == name }) else {
            return .badCertificate
        }
        guard certificate.environment == nil || certificate.environment == access.environment else {
            return .badCertificateEnvironment
        }
        return nil
    }

    private func ageReason(_ token: ProviderToken, now: Int64) -> APNsReason? {
        if token.issuedAt > now &+ access.clockSkewSecondsMost { return .invalidProviderToken }
        // Negative numbers are tested first: so far back the difference would overflow.
        if token.issuedAt < 0 || now - token.issuedAt > access.tokenSecondsMost { return .expiredProviderToken }
        return nil
    }
}

extension APNsRules {
    /// Returns true for a lower-case UUID of the form 8-4-4-4-12.
    static func isCanonicalUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default:
                guard Hexadecimal.value(of: byte) != nil, byte < 0x41 || byte > 0x46 else { return false }
            }
        }
        return true
    }

    private static func mayBeInTopic(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func starts(_ text: ArraySlice<UInt8>, with word: StaticString) -> Bool {
        text.starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private static func ends(_ text: ArraySlice<UInt8>, with word: StaticString) -> Bool {
        text.suffix(word.utf8CodeUnitCount).elementsEqual(
            UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        )
    }
}
