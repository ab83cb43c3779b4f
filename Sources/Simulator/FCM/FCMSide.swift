import Synchronization
import TLS

/// FCM as a provider of the driver: the token endpoint and `messages:send` on one listener.
final class FCMSide: Peer {
    private struct Quotas {
        var project = ProjectQuota()
        var devices = DeviceQuotas()
    }

    let provider = SimulatedProvider.fcm
    /// Far above the JSON of a 4096-byte payload, including everything that does not count.
    let bodyBytesKept = 65_536
    let startsWithOneStream = false
    let devices: SimulatedDevices? = SimulatedDevices(.fcm)
    let tokens: AccessTokens
    private let access: FCMAccess
    private let seed: UInt64
    private let quotas = Mutex(Quotas())
    private let connections = Atomic<UInt64>(0)

    /// Throws if an account's key cannot be read.
    init(access: FCMAccess, seed: UInt64) throws(TLSError) {
        self.access = access
        self.seed = seed
        tokens = try AccessTokens(access: access, seed: seed)
    }

    func connectionOpened(hasClientCertificate: Bool) -> any PeerConnection {
        let number = connections.wrappingAdd(1, ordering: .relaxed).newValue
        return Connection(side: self, idSeed: Mixing.mix(seed ^ Mixing.mix(number)))
    }

    func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer {
        FCMAnswers.answer(to: behaviour, faults: faults)
    }

    func key(of token: ArraySlice<UInt8>) -> DeviceTokenKey? { DeviceTokenKey(digestOf: token) }

    func addTotals(to statistics: inout Statistics) {
        let totals = tokens.totals
        statistics.own["token_fetches"] = totals.fetches
        statistics.own["token_refusals"] = totals.refusals
    }

    func revokeCredentials() { tokens.revokeAll() }

    func reset() {
        tokens.reset()
        devices?.reset()
        quotas.withLock { $0 = Quotas() }
    }

    /// One connection: its access token and the message being judged.
    private final class Connection: PeerConnection {
        private let side: FCMSide
        /// The last valid access token, to recognize it without a table look-up.
        private var authorization: [UInt8] = []
        private var grant: AccessTokens.Grant?
        private var message: FCMMessage?
        private let idSeed: UInt64
        private var idsGiven: UInt64 = 0

        let isAuthenticated = true

        init(side: FCMSide, idSeed: UInt64) {
            self.side = side
            self.idSeed = idSeed
        }

        func judge(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Finding {
            message = nil
            let path = request.text(.path) ?? ""
            let isPost = request[.method].map { $0.elementsEqual("POST".utf8) } ?? false
            if path == "/token", isPost { return .aside(side.tokens.answer(request, faults: faults, now: now)) }
            guard isPost, path.hasPrefix("/v1/projects/"), path.hasSuffix("/messages:send") else {
                return .refused(FCMAnswers.answer(.notFound), nil)
            }
            guard isKnown(request[.authorization], now: now) else {
                return .refused(FCMAnswers.answer(.unauthenticated), nil)
            }
            guard path == "/v1/projects/\(side.access.project)/messages:send" else {
                return .refused(FCMAnswers.answer(.permissionDenied), nil)
            }
            guard side.quotas.withLock({ $0.project.take(limit: faults.projectQuota, now: now) }) else {
                let retryAfter = faults.quotaRetryAfter.isEmpty ? nil : faults.quotaRetryAfter
                return .refused(
                    FCMAnswers.answer(.projectQuota, subject: "project:\(side.access.project)", retryAfter: retryAfter),
                    nil
                )
            }
            do throws(FieldViolation) {
                return try judgeBody(request)
            } catch {
                return .refused(FCMAnswers.answer(error), nil)
            }
        }

        private func judgeBody(_ request: borrowing ProviderRequest) throws(FieldViolation) -> Finding {
            guard request.text(.contentType)?.lowercased().hasPrefix("application/json") == true,
                request.bodyBytes <= request.bodyBytesKept
            else { throw FieldViolation(field: "", description: "Invalid JSON payload received. Unexpected token.") }
            let message = try FCMMessage(request.body[...])
            let text = Array((message.token ?? message.topic ?? message.condition ?? "").utf8)[...]
            var addressee = Addressee(key: DeviceTokenKey(digestOf: text), text: text)
            addressee.isDryRun = message.isDryRun
            if let token = message.token, !FCMMessage.isToken(token) {
                return .refused(FCMAnswers.answer(.invalidToken), addressee)
            }
            self.message = message
            return .passed(addressee)
        }

        /// Returns true if a field holds a valid token; the scheme may be in either case (RFC 9110, 11.1).
        private func isKnown(_ field: ArraySlice<UInt8>?, now: Int64) -> Bool {
            guard let field else { return false }
            if let grant, authorization.elementsEqual(field) { return side.tokens.isGood(grant, now: now) }
            guard field.prefix(7).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8),
                let found = side.tokens.grant(of: field.dropFirst(7)), side.tokens.isGood(found, now: now)
            else { return false }
            authorization = Array(field)
            grant = found
            return true
        }

        func accept(
            _ addressee: Addressee,
            request: borrowing ProviderRequest,
            before counts: TokenCounts,
            now: Int64
        ) -> Answer {
            guard let message else { return FCMAnswers.answer(.internalError) }
            if addressee.isDryRun {
                return FCMAnswers.accepted(project: side.access.project, id: "fake_message_id")
            }
            if message.token != nil {
                let isWithin = side.quotas.withLock {
                    $0.devices.take(addressee.key, before: Int(counts.judged), access: side.access, now: now)
                }
                guard isWithin else { return FCMAnswers.answer(.deviceQuota) }
            }
            idsGiven += 1
            let mark = Mixing.mix(idSeed ^ idsGiven)
            let id = "0:\(now)000%\(Hexadecimal.text(withUnsafeBytes(of: mark.bigEndian) { Array($0) }))"
            side.devices?.receive(addressee.key, now: now) { PushedMessage(message, id: id, now: now) }
            return FCMAnswers.accepted(project: side.access.project, id: id)
        }

        func complete(_ answer: inout Answer, to request: borrowing ProviderRequest) {}
    }
}
