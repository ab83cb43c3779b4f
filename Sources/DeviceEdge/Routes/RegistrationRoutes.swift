import Campaigns
import Delivery
import HTTPTypes
import HummingbirdCore
import PushProviders
import Settings
import Store
import WebServing

/// Registers, refreshes and forgets devices.
enum RegistrationRoutes {
    static let all: [Route<EdgeResponder>] = [
        Route(.put, "/v1/devices/{id}", .deviceOrIntegrationKey, "registerDevice", put),
        Route(.delete, "/v1/devices/{id}", .device, "deregisterDevice", forget),
    ]

    private static let userToken = HTTPField.Name("Fanfare-User")

    private static func put(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let id = try installation(call)
        let value = try await BodyReader.value(call.request)
        let decoded = EdgeRegistration.decode(value, installation: id, ProviderRegistry.tokens)
        guard let word = decoded.registration else { throw EdgeRefusal(decoded.problems) }
        let user = try judge(word, call, now: core.ledger.now())
        let secret: String?
        let proof: Enrolment.Proof
        switch call.caller.credential {
        case .integrationKey:
            let (new, key) = (EdgeSecret.device(), BearerToken.read(call.request.headers[.authorization]) ?? "")
            let number = EdgeSecret.keyNumber(hash: EdgeSecret.hash(key))
            (secret, proof) = (new, .integrationKey(secretHash: EdgeSecret.hash(new), user: user, key: number))
        case .device, .none:
            let text = BearerToken.read(call.request.headers[.authorization]) ?? ""
            (secret, proof) = (nil, .secret(hash: EdgeSecret.hash(text)))
        }
        let enrolment = Enrolment(
            registration: word.registration,
            token: word.saysToken ? ProviderRegistry.tokens.bytes(of: word.registration.device) : nil,
            proof: proof,
            activities: word.activities
        )
        let app = call.app.name
        // The secret is shown once: a power failure must not lose it.
        let result = try await core.ledger.write(secret == nil ? .normal : .synced) {
            try $0.enroll(enrolment, app: app, now: core.ledger.now())
        }
        let isNew = try isNew(result, app: app)
        return .json(
            .object([
                "status": .string(EdgeStatus.registered.rawValue), "device_secret": secret.map(JSONValue.string),
            ]),
            isNew ? .created : .ok
        )
    }

    /// Returns true if the device was not known before; throws the refusal otherwise.
    private static func isNew(_ result: EnrolmentResult, app: String) throws(EdgeRefusal) -> Bool {
        switch result {
        case .registered(let isNew): return isNew
        case .exists:
            // The same text whatever is known of that installation: the sender may be a stranger.
            throw EdgeRefusal(
                .conflict,
                .deviceExists,
                "this id belongs to another installation: register with a new id"
            )
        case .unknownSecret:
            throw EdgeRefusal(.forbidden, .integrationKeyUnknown, "this secret is no longer valid: register again")
        case .noToken:
            throw EdgeRefusal(
                .unprocessableContent,
                .tokenInvalid,
                "this device has no known token; add token",
                pointer: "/token"
            )
        case .tooMany:
            throw EdgeRefusal(
                .unprocessableContent,
                .unexpectedError,
                "with its existing ones, the device would have more than \(DeviceTraits.tagsMax) tags, or more than "
                    + "\(DeviceTraits.attributesBytesMax) bytes of attributes; remove some first",
                pointer: "/tags"
            )
        }
    }

    /// Refuses fields that the app does not let its devices set; returns the user that its back end's token proves.
    private static func judge(
        _ word: EdgeRegistration,
        _ call: Call<EdgeResponder>,
        now: Timestamp
    ) throws(EdgeRefusal) -> String? {
        let registration = word.registration
        let provider = registration.device.provider
        if word.saysToken, !call.app.providers.contains(provider) {
            let names = call.app.providers.map(\.rawValue).joined(separator: ", ")
            throw EdgeRefusal(
                .unprocessableContent,
                .tokenInvalid,
                "\(call.app.name) does not send through \(provider.rawValue), but through \(names)",
                pointer: "/provider"
            )
        }
        if !call.edge.devicesMayTag {
            let said = [(registration.tags != .unchanged, "tags"), (!registration.attributes.isEmpty, "attributes")]
            if let name = said.first(where: \.0)?.1 {
                throw EdgeRefusal(
                    .unprocessableContent,
                    .unexpectedError,
                    "\(call.app.name) does not let devices set \(name) (edge.device_tags); leave \(name) out",
                    pointer: "/" + name
                )
            }
        }
        guard case .user(let user) = registration.user else { return provenUser(call, now: now) }
        return try verify(user, call, now: now) ? user : nil
    }

    /// Returns the user that the app's back end names where the body names none; an empty token proves nothing.
    private static func provenUser(_ call: Call<EdgeResponder>, now: Timestamp) -> String? {
        guard !call.caller.isDevice, let text = userToken.flatMap({ call.request.headers[$0] }) else {
            return nil
        }
        return call.edge.userKeys?.user(text, app: call.app.name, now: Double(now.milliseconds) / 1000)
    }

    /// Returns true if the app's back end vouches for a user's key; throws when the app requires that and it does not.
    ///
    /// A token that was sent is checked wherever it can be, so that a wrong one is never a silent success.
    private static func verify(_ user: String, _ call: Call<EdgeResponder>, now: Timestamp) throws(EdgeRefusal) -> Bool
    {
        let text = userToken.flatMap { call.request.headers[$0] }
        func refuse(_ reason: String) -> EdgeRefusal {
            EdgeRefusal(.forbidden, .userNotVerified, reason, pointer: "/user")
        }
        guard let keys = call.edge.userKeys else {
            if call.edge.requiresUserToken { throw refuse("no keys for user tokens are known here") }
            return false
        }
        guard let text, !text.isEmpty else {
            if call.edge.requiresUserToken {
                throw refuse("a user needs a token of the app's back end: Fanfare-User: JWT")
            }
            return false
        }
        let seconds = Double(now.milliseconds) / 1000
        if let fault = keys.fault(text, app: call.app.name, user: user, now: seconds) {
            throw refuse("the user token is rejected: \(fault.detail)")
        }
        return true
    }

    /// Forgets the device: stores a tombstone at once; shards cut afterwards do not send to it.
    private static func forget(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (call.app.name, try installation(call))
        if let device = try await core.ledger.read({ try $0.device(app: app, installation: id) }) {
            try await core.forgetting.forget(device)
        }
        return .json(["status": "forgotten"])
    }

    /// Returns the path's id; a device may name no other than its own.
    private static func installation(_ call: Call<EdgeResponder>) throws(EdgeRefusal) -> String {
        let id = call.parameter("id")
        guard EdgeRegistration.isInstallation(id) else {
            throw EdgeRefusal(
                .unprocessableContent,
                .unexpectedError,
                "a device's id is 1 to 128 of the characters A-Z a-z 0-9 . _ : - and does not begin with token-"
            )
        }
        if case .device(let device) = call.caller.credential, device.installation != id {
            throw EdgeRefusal(.forbidden, .integrationKeyUnknown, "this secret belongs to another device")
        }
        return id
    }
}
