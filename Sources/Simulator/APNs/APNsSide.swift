import HTTP2
import Synchronization

/// APNs as a provider of the driver.
final class APNsSide: Peer {
    let provider = SimulatedProvider.apns
    /// The largest payload, VoIP's; one more byte is refused.
    let bodyBytesKept = 5120
    let startsWithOneStream: Bool
    let devices: SimulatedDevices? = SimulatedDevices(.apns)
    private let rules: APNsRules
    private let broadcasts: BroadcastRules
    private let activities = ActivityTokens()
    private let seed: UInt64
    private let connections = Atomic<UInt64>(0)

    init(rules: APNsRules, startsWithOneStream: Bool, seed: UInt64) {
        self.rules = rules
        broadcasts = BroadcastRules(
            rules: rules,
            channels: SimulatedChannels(seed: seed, most: rules.tokens.access.channelsMost)
        )
        self.startsWithOneStream = startsWithOneStream
        self.seed = seed
    }

    func connectionOpened(hasClientCertificate: Bool) -> any PeerConnection {
        let registered = rules.tokens.access.certificates.first?.commonName
        return Connection(
            side: self,
            certificateName: hasClientCertificate ? registered ?? "client" : nil,
            number: connections.wrappingAdd(1, ordering: .relaxed).newValue
        )
    }

    func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer {
        APNsAnswers.answer(to: behaviour, faults: faults, now: now)
    }

    func key(of token: ArraySlice<UInt8>) -> DeviceTokenKey? { DeviceTokenKey(hexadecimal: token) }

    func addTotals(to statistics: inout Statistics) {
        (statistics.providerTokens, statistics.keysMost) = rules.tokens.totals
        let channels = broadcasts.channels.count
        if channels > 0 { statistics.own["channels"] = UInt64(channels) }
    }

    func revokeCredentials() {}

    func reset() {
        rules.tokens.reset()
        broadcasts.channels.reset()
        activities.reset()
        devices?.reset()
    }

    private final class Connection: PeerConnection {
        private let side: APNsSide
        private var facts: APNsConnectionFacts
        private var ids: MessageIDs

        init(side: APNsSide, certificateName: String?, number: UInt64) {
            self.side = side
            facts = APNsConnectionFacts(certificateName: certificateName)
            ids = MessageIDs(seed: Mixing.mix(side.seed ^ Mixing.mix(number)))
        }

        var isAuthenticated: Bool { facts.isAuthenticated }

        func judge(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Finding {
            if let place = BroadcastRules.Place(request) {
                return judge(request, at: place, now: now)
            }
            return switch side.rules.finding(on: request, connection: &facts, now: now / 1000) {
            case .passed(let token): .passed(Addressee(key: token))
            case .refused(let reason, let token):
                .refused(APNsAnswers.answer(reason), token.map { Addressee(key: $0) })
            }
        }

        private func judge(
            _ request: borrowing ProviderRequest,
            at place: BroadcastRules.Place,
            now: Int64
        ) -> Finding {
            let verdict = side.broadcasts.verdict(on: request, at: place, connection: &facts, now: now / 1000)
            switch (verdict, place) {
            case (.answered(let answer), _): return .aside(answer)
            case (.passed(let channel), _): return .passed(Self.addressee(channel))
            case (.refused(let reason, let channel), .broadcasts):
                return .refused(APNsAnswers.answer(reason), channel.map { Self.addressee($0) })
            // Channel management sends no message.
            case (.refused(let reason, _), _): return .aside(APNsAnswers.answer(reason))
            }
        }

        /// Returns a channel in the place of a device; its text tells it from one.
        private static func addressee(_ channel: String) -> Addressee {
            let text = Array(channel.utf8)[...]
            return Addressee(key: DeviceTokenKey(digestOf: text), text: text)
        }

        func accept(
            _ addressee: Addressee,
            request: borrowing ProviderRequest,
            before counts: TokenCounts,
            now: Int64
        ) -> Answer {
            // Nobody is known to follow a channel.
            guard addressee.text == nil else { return APNsAnswers.accepted }
            if let event = Self.activityEvent(request) {
                switch side.activities.take(event, to: addressee.key, now: now) {
                case .taken: break
                case .ended(let instant): return APNsAnswers.answer(.unregistered, timestamp: instant)
                case .wrongKind: return APNsAnswers.answer(.badDeviceToken)
                }
            }
            side.devices?.receive(addressee.key, now: now) {
                PushedMessage(request, id: request.text(.id) ?? "", now: now)
            }
            return APNsAnswers.accepted
        }

        /// Returns the event of a Live Activity; nil for another push.
        private static func activityEvent(_ request: borrowing ProviderRequest) -> PayloadFacts.Event? {
            guard let type = request[.pushType], type.elementsEqual("liveactivity".utf8) else { return nil }
            return (try? PayloadFacts(request.body[...]))?.event
        }

        func complete(_ answer: inout Answer, to request: borrowing ProviderRequest) {
            if BroadcastRules.Place(request) != nil {
                let id = request[.requestID].map { Array($0) } ?? ids.next()
                answer.fields.append(HeaderField(name: Self.requestIDName, value: id, indexing: .never))
                return
            }
            let id = request[.id].map { Array($0) } ?? ids.next()
            answer.fields.append(HeaderField(name: Self.idName, value: id, indexing: .never))
        }

        private static let requestIDName = Array("apns-request-id".utf8)
        private static let idName = Array("apns-id".utf8)
    }
}

/// APNs' answers: Apple, "Handling notification responses from APNs".
enum APNsAnswers {
    static let accepted = Answer(status: 200)

    /// Returns the refusal for a reason; `timestamp` is in milliseconds since 1970, for 410.
    static func answer(_ reason: APNsReason, retryAfter: String? = nil, timestamp: Int64? = nil) -> Answer {
        let after = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
        return Answer(
            status: reason.status,
            reason: reason.rawValue,
            retryAfter: retryAfter,
            body: Array("{\"reason\":\"\(reason.rawValue)\"\(after)}".utf8),
            contentType: "application/json"
        )
    }

    static func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer {
        let deadSince = now - Int64(faults.deadSinceSeconds) * 1000
        switch behaviour {
        case .dead: return answer(.unregistered, timestamp: deadSince)
        case .expired: return answer(.expiredToken, timestamp: deadSince)
        case .unavailableOnce, .storm: return answer(.serviceUnavailable)
        case .unavailable: return answer(.serviceUnavailable, retryAfter: faults.retryAfter)
        case .throttledOnce: return answer(.tooManyRequests)
        case .internalError: return answer(.internalServerError)
        case .badToken: return answer(.badDeviceToken)
        case .notForTopic: return answer(.deviceTokenNotForTopic)
        case .refused(let reason): return answer(reason, timestamp: reason.status == 410 ? deadSince : nil)
        case .malformed(let malformed):
            return malformed.answer(reasonBefore: "{\"reason\":\"", reasonAfter: "\"}")
        case .accept, .refuse, .reset, .stall, .refusedByFCM, .refusedByWebPush: return accepted
        }
    }
}

/// UUIDs for requests without `apns-id`, as upper-case text like Apple's own.
struct MessageIDs {
    private let seed: UInt64
    private var given: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    mutating func next() -> [UInt8] {
        given += 1
        let high = Mixing.mix(seed ^ given)
        let low = Mixing.mix(high ^ seed)
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        // Version 4 and variant of RFC 9562.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var digits = Array(Hexadecimal.text(bytes).uppercased().utf8)
        for index in [8, 13, 18, 23] { digits.insert(UInt8(ascii: "-"), at: index) }
        return digits
    }
}
