import HTTP2

/// The rules by which APNs judges broadcasts and the management of their channels.
///
/// Written from Apple's pages "Sending broadcast push notification requests to APNs", "Sending channel management
/// requests to APNs" and "Handling error responses from Apple Push Notification service". The order of several mistakes
/// is ours: path, credential, app, headers, channel, payload.
struct BroadcastRules {
    /// The longest payload in bytes.
    static let payloadBytesMost = 5120
    /// The longest id; Apple says that there is a length, and not which.
    private static let idBytesMost = 1024

    let rules: APNsRules
    let channels: SimulatedChannels

    /// The request that a path is of.
    enum Place: Equatable {
        /// `/4/broadcasts/apps/<bundle>`.
        case broadcasts(bundle: String)
        /// `/1/apps/<bundle>/channels`.
        case channels(bundle: String)
        /// `/1/apps/<bundle>/all-channels`.
        case allChannels(bundle: String)

        /// Reads a path; nil for one of neither kind.
        init?(_ path: String) {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            switch parts.count {
            case 5 where parts[...3] == ["", "4", "broadcasts", "apps"] && !parts[4].isEmpty:
                self = .broadcasts(bundle: parts[4])
            case 5 where parts[...2] == ["", "1", "apps"] && !parts[3].isEmpty && parts[4] == "channels":
                self = .channels(bundle: parts[3])
            case 5 where parts[...2] == ["", "1", "apps"] && !parts[3].isEmpty && parts[4] == "all-channels":
                self = .allChannels(bundle: parts[3])
            default: return nil
            }
        }

        /// Reads the path of a request; nil for one to a device, which is known by one byte.
        init?(_ request: borrowing ProviderRequest) {
            guard let path = request[.path], path.dropFirst().first != UInt8(ascii: "3") else { return nil }
            self.init(String(decoding: path, as: UTF8.self))
        }

        var bundle: String {
            switch self {
            case .broadcasts(let bundle), .channels(let bundle), .allChannels(let bundle): bundle
            }
        }
    }

    /// The verdict on a request.
    enum Verdict: Equatable {
        /// A broadcast that may go out, to the channel with this id.
        case passed(channel: String)
        /// A refusal; with the channel if the request named one.
        case refused(APNsReason, channel: String?)
        /// The answer to a request of channel management.
        case answered(Answer)
    }

    /// Judges a request; `now` is in seconds since 1970.
    func verdict(
        on request: borrowing ProviderRequest,
        at place: Place,
        connection: inout APNsConnectionFacts,
        now: Int64
    ) -> Verdict {
        let method = request.text(.method) ?? ""
        guard Self.methods(of: place).contains(method) else { return .refused(.methodNotAllowed, channel: nil) }
        if request.hasDuplicates { return .refused(.duplicateHeaders, channel: nil) }
        if let reason = rules.credentialReason(request, connection: &connection, now: now) {
            return .refused(reason, channel: nil)
        }
        connection.isAuthenticated = true
        if let reason = appReason(place.bundle, connection) { return .refused(reason, channel: nil) }
        if let id = request[.requestID], !APNsRules.isCanonicalUUID(id) { return .refused(.badMessageID, channel: nil) }
        switch place {
        case .broadcasts(let bundle): return broadcast(request, bundle: bundle)
        case .allChannels(let bundle):
            let ids = channels.ids(bundle: bundle).map(JSONNode.quoted).joined(separator: ",")
            return .answered(Self.answer(200, "{\"channels\":[\(ids)]}"))
        case .channels(let bundle) where method == "POST": return create(request, bundle: bundle)
        case .channels(let bundle):
            let id: String
            switch channel(of: request) {
            case .success(let found): id = found
            case .failure(let refusal): return .refused(refusal.reason, channel: nil)
            }
            guard let storage = channels.storage(of: id, bundle: bundle) else {
                return .refused(.channelNotRegistered, channel: nil)
            }
            guard method == "DELETE" else {
                let policy = storage.rawValue
                return .answered(
                    Self.answer(200, "{\"message-storage-policy\":\(policy),\"push-type\":\"LiveActivity\"}")
                )
            }
            _ = channels.remove(id, bundle: bundle)
            return .answered(Answer(status: 204))
        }
    }

    private static func methods(of place: Place) -> [String] {
        switch place {
        case .broadcasts: ["POST"]
        case .channels: ["POST", "GET", "DELETE"]
        case .allChannels: ["GET"]
        }
    }

    private static func answer(_ status: Int, _ body: String) -> Answer {
        Answer(status: status, body: Array(body.utf8), contentType: "application/json")
    }

    /// Returns the fault of the bundle identifier in the path.
    private func appReason(_ bundle: String, _ connection: APNsConnectionFacts) -> APNsReason? {
        let access = rules.tokens.access
        if PushType.suffixed.contains(where: { bundle.hasSuffix($0.topicSuffix.description) }) {
            return .topicDisallowed
        }
        let isKnown = access.topics.isEmpty || access.topics.contains(bundle)
        guard isKnown, rules.isCovered(Array(bundle.utf8)[...], connection: connection) else { return .topicMismatch }
        return access.topicsWithoutBroadcast.contains(bundle) ? .featureNotEnabled : nil
    }

    /// Returns the channel that the request names, whether it exists or not.
    private func channel(of request: borrowing ProviderRequest) -> Result<String, APNsRefusal> {
        guard let id = request[.channelID], !id.isEmpty else { return .failure(.init(.missingChannelID)) }
        guard id.count <= Self.idBytesMost, Self.isBase64(id) else { return .failure(.init(.badChannelID)) }
        return .success(String(decoding: id, as: UTF8.self))
    }

    private static func isBase64(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count.isMultiple(of: 4) else { return false }
        var digits = text
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        return !digits.isEmpty
            && digits.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: false
                }
            }
    }

    // MARK: - Management

    private func create(_ request: borrowing ProviderRequest, bundle: String) -> Verdict {
        guard let body = try? JSONNode(parsing: request.body[...]), case .object(let members) = body else {
            return .refused(.badRequestPayload, channel: nil)
        }
        let known: Set = ["message-storage-policy", "push-type"]
        guard Set(members.keys).isSubset(of: known) else { return .refused(.badRequestParams, channel: nil) }
        guard let type = members["push-type"] else { return .refused(.missingPushType, channel: nil) }
        guard type.string == "LiveActivity" else { return .refused(.invalidPushType, channel: nil) }
        let policy = members["message-storage-policy"]?.integer.flatMap { SimulatedChannels.Storage(rawValue: $0) }
        guard let policy else { return .refused(.badRequestParams, channel: nil) }
        guard let id = channels.make(policy, bundle: bundle) else {
            return .refused(.cannotCreateChannelConfig, channel: nil)
        }
        var answer = Answer(status: 201)
        answer.fields.append(HeaderField("apns-channel-id", id))
        return .answered(answer)
    }

    // MARK: - Broadcasts

    private func broadcast(_ request: borrowing ProviderRequest, bundle: String) -> Verdict {
        let id: String
        switch channel(of: request) {
        case .success(let found): id = found
        case .failure(let refusal): return .refused(refusal.reason, channel: nil)
        }
        guard let type = request[.pushType] else { return .refused(.missingPushType, channel: id) }
        guard type.elementsEqual("liveactivity".utf8) else { return .refused(.invalidPushType, channel: id) }
        let expiration = request[.expiration].flatMap { DecimalDigits.value($0) }
        guard let expiration, expiration <= Int64(UInt32.max) else { return .refused(.badExpirationDate, channel: id) }
        guard let priority = request[.priority].flatMap({ DecimalDigits.value($0) }), [1, 5, 10].contains(priority)
        else { return .refused(.badPriority, channel: id) }
        guard let storage = channels.storage(of: id, bundle: bundle) else {
            return .refused(.channelNotRegistered, channel: id)
        }
        switch storage {
        case .nothing: guard expiration == 0 else { return .refused(.badExpirationDate, channel: id) }
        case .mostRecent: break
        }
        if request.bodyBytes == 0 { return .refused(.payloadEmpty, channel: id) }
        if request.bodyBytes > Self.payloadBytesMost { return .refused(.payloadTooLarge, channel: id) }
        guard let facts = try? PayloadFacts(request.body[...]), facts.hasAps else {
            return .refused(.payloadEmpty, channel: id)
        }
        return facts.matches(.liveactivity) ? .passed(channel: id) : .refused(.invalidPushType, channel: id)
    }
}
