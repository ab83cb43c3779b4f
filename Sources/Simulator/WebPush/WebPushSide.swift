import Synchronization
import TLS

/// A Web Push service as a provider of the driver.
final class WebPushSide: Peer {
    private struct Totals {
        var deciphered: UInt64 = 0
        var undecipherable: UInt64 = 0
    }

    let provider = SimulatedProvider.webPush
    let bodyBytesKept = WebPushHeaders.bytesMost
    let startsWithOneStream = false
    let devices: SimulatedDevices? = SimulatedDevices(.webPush)
    let subscriptions: WebPushSubscriptions
    private let access: WebPushAccess
    private let seed: UInt64
    private let totals = Mutex(Totals())
    private let messages = Atomic<UInt64>(0)

    init(access: WebPushAccess, seed: UInt64) {
        self.access = access
        self.seed = seed
        subscriptions = WebPushSubscriptions(seed: seed)
    }

    func connectionOpened(hasClientCertificate: Bool) -> any PeerConnection { Connection(side: self) }

    func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer {
        WebPushAnswers.answer(to: behaviour, faults: faults)
    }

    /// Returns the key of a token, which is a whole endpoint or the last part of its path.
    func key(of token: ArraySlice<UInt8>) -> DeviceTokenKey? {
        let id = token.lastIndex(of: UInt8(ascii: "/")).map { token[($0 + 1)...] } ?? token
        return subscriptions.number(ofID: id) == nil ? nil : DeviceTokenKey(digestOf: id)
    }

    func addTotals(to statistics: inout Statistics) {
        let totals = totals.withLock { $0 }
        statistics.own["deciphered"] = totals.deciphered
        statistics.own["undecipherable"] = totals.undecipherable
    }

    func revokeCredentials() {}

    func reset() {
        totals.withLock { $0 = Totals() }
        devices?.reset()
    }

    /// Returns the plaintext of a message as this subscription's browser reads it; nil if it cannot.
    private func decipher(_ body: [UInt8], for number: UInt64) -> [UInt8]? {
        // The sender must find the reason; here it only matters that a person would see nothing.
        let plaintext = try? subscriptions.opener(number).open(body)
        totals.withLock { totals in
            if plaintext == nil { totals.undecipherable += 1 } else { totals.deciphered += 1 }
        }
        return plaintext
    }

    private final class Connection: PeerConnection {
        private let side: WebPushSide
        /// The last valid token, to recognize it without verifying its signature.
        private var vapid: VAPID?
        private var headers: WebPushHeaders?
        private var number: UInt64 = 0
        private var origin = ""

        let isAuthenticated = true

        init(side: WebPushSide) { self.side = side }

        func judge(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Finding {
            headers = nil
            let prefix = Array("/push/".utf8)
            guard let path = request[.path], path.starts(with: prefix), let method = request[.method],
                method.elementsEqual("POST".utf8)
            else { return .refused(WebPushAnswers.answer(.notFound), nil) }
            let id = path.dropFirst(prefix.count)
            guard let number = side.subscriptions.number(ofID: id) else {
                return .refused(WebPushAnswers.answer(.notFound, message: "Invalid URL endpoint"), nil)
            }
            let addressee = Addressee(key: DeviceTokenKey(digestOf: id), text: id)
            origin = "https://\(request.text(.authority) ?? "")"
            do throws(WebPushRefusal) {
                try checkVAPID(request[.authorization], now: now / 1000)
                headers = try WebPushHeaders(request)
            } catch {
                return .refused(WebPushAnswers.answer(error.error, message: error.message), addressee)
            }
            self.number = number
            return .passed(addressee)
        }

        private func checkVAPID(_ authorization: ArraySlice<UInt8>?, now: Int64) throws(WebPushRefusal) {
            if let vapid, let authorization, vapid.authorization.elementsEqual(authorization) {
                return try vapid.checkAge(now: now)
            }
            vapid = try VAPID(authorization, origin: origin, access: side.access, now: now)
        }

        func accept(
            _ addressee: Addressee,
            request: borrowing ProviderRequest,
            before counts: TokenCounts,
            now: Int64
        ) -> Answer {
            guard let headers else { return WebPushAnswers.answer(.internalError) }
            let mark = Mixing.mix(side.seed ^ side.messages.wrappingAdd(1, ordering: .relaxed).newValue)
            let id = Hexadecimal.text(withUnsafeBytes(of: mark.bigEndian) { Array($0) })
            let isWatched = side.devices?.watches(addressee.key) ?? false
            let isSampled = Mixing.fraction(Mixing.mix(addressee.key.hash64)) < side.access.decipheredShare
            if request.bodyBytes > 0, isWatched || isSampled {
                let plaintext = side.decipher(request.body, for: number)
                side.devices?.receive(addressee.key, now: now) {
                    PushedMessage(headers, plaintext: plaintext, id: id, now: now)
                }
            } else if isWatched {
                side.devices?.receive(addressee.key, now: now) {
                    PushedMessage(headers, plaintext: [], id: id, now: now)
                }
            }
            return WebPushAnswers.accepted(origin: origin, id: id, timeToLive: headers.timeToLiveSeconds)
        }

        func complete(_ answer: inout Answer, to request: borrowing ProviderRequest) {}
    }
}
