import Campaigns
package import Delivery
import PushProviders
import TLS

/// The public keys that verify an app's user tokens (`edge.user_keys_file`): a JWK set (RFC 7517).
///
/// Its back end signs these tokens to say who uses a device. Immutable, for any thread.
package struct UserKeys: Sendable {
    /// The most keys of a set.
    package static let countMax = 20

    private let keys: [Key]

    fileprivate struct Key: Sendable {
        let id: String?
        let algorithm: UserToken.Algorithm
        let verifier: Verifier
    }

    fileprivate enum Verifier: Sendable {
        case es256(ES256.VerificationKey)
        case rs256(RS256.VerificationKey)
        case ed25519(Ed25519.VerificationKey)
    }

    /// A problem with a set; it never contains a part of a key.
    package struct Unusable: Error, Equatable {
        /// The problem, with the key concerned.
        package let detail: String
    }

    /// Reads a set; keys of unknown types are left out (RFC 7517, section 5), a private key is refused.
    package init(file: [UInt8]) throws(Unusable) {
        let reading = JSONReader.read(file)
        guard reading.problems.isEmpty, let members = reading.value?["keys"]?.array else {
            throw Unusable(detail: "it is not a JSON object with a list keys")
        }
        guard members.count <= Self.countMax else {
            throw Unusable(detail: "it has \(members.count) keys; \(Self.countMax) are the most")
        }
        var keys: [Key] = []
        for (index, member) in members.enumerated() {
            if let key = try Self.key(member, location: "key \(index + 1)") { keys.append(key) }
        }
        guard !keys.isEmpty else {
            throw Unusable(detail: "it has no key for signatures with ES256, RS256 or EdDSA")
        }
        self.keys = keys
    }

    /// Returns nil for a key with another purpose.
    private static func key(_ value: JSONValue, location: String) throws(Unusable) -> Key? {
        guard value["d"] == nil, value["k"] == nil else {
            throw Unusable(detail: "\(location) has a private part; only public keys belong here")
        }
        if let use = value["use"]?.string, use != "sig" { return nil }
        func bytes(_ name: String) throws(Unusable) -> [UInt8] {
            guard let text = value[name]?.string, let bytes = Base64URL.decode(text.utf8), !bytes.isEmpty else {
                throw Unusable(detail: "\(location) has no \(name) in base64url")
            }
            return bytes
        }
        let id = value["kid"]?.string
        let found: (UserToken.Algorithm, Verifier)
        do {
            switch (value["kty"]?.string, value["crv"]?.string) {
            case ("EC", "P-256"):
                let point = [4] + padded(try bytes("x"), to: 32) + padded(try bytes("y"), to: 32)
                found = (.es256, .es256(try ES256.VerificationKey(publicKey: point, source: location)))
            case ("RSA", _):
                let key = try RS256.VerificationKey(
                    modulus: try bytes("n"),
                    exponent: try bytes("e"),
                    source: location
                )
                found = (.rs256, .rs256(key))
            case ("OKP", "Ed25519"):
                found = (.edDSA, .ed25519(try Ed25519.VerificationKey(publicKey: try bytes("x"), source: location)))
            default: return nil
            }
        } catch let error as TLSError {
            throw Unusable(detail: error.message)
        } catch let error as Unusable {
            throw error
        } catch {
            throw Unusable(detail: "\(location) cannot be used")
        }
        if let name = value["alg"]?.string, name != found.0.rawValue { return nil }
        return Key(id: id, algorithm: found.0, verifier: found.1)
    }

    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        Array(repeating: 0, count: max(0, count - bytes.count)) + bytes
    }

    /// Returns the user whom a token names if it is valid for an app now; nil otherwise.
    ///
    /// `now` is in seconds since the epoch. Costs as much as `fault`.
    package func user(_ text: String, app: String, now: Double) -> String? {
        guard let user = (try? UserToken(text))?.subject else { return nil }
        return fault(text, app: app, user: user, now: now) == nil ? user : nil
    }

    /// Returns the reason why a token does not prove that a user of an app uses the device now; nil when it does.
    ///
    /// `now` is in seconds since the epoch. Costs a signature's verification, about 0.1 ms.
    package func fault(_ text: String, app: String, user: String, now: Double) -> UserToken.Fault? {
        let token: UserToken
        do throws(UserToken.Fault) { token = try UserToken(text) } catch { return error }
        let fitting = keys.filter {
            $0.algorithm == token.algorithm && (token.keyID == nil || $0.id == nil || $0.id == token.keyID)
        }
        guard !fitting.isEmpty else {
            return UserToken.Fault("no key is known for its kid and alg")
        }
        guard fitting.contains(where: { $0.verifies(token) }) else {
            return UserToken.Fault("its signature is not of a key that is known")
        }
        return token.fault(app: app, user: user, now: now)
    }
}

extension UserKeys.Key {
    fileprivate func verifies(_ token: UserToken) -> Bool {
        switch verifier {
        case .es256(let key): key.verifies(signature: token.signature, of: token.signed)
        case .rs256(let key): key.verifies(signature: token.signature, of: token.signed)
        case .ed25519(let key): key.verifies(signature: token.signature, of: token.signed)
        }
    }
}
