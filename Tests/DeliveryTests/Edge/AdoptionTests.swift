import Campaigns
import Delivery
import Testing

/// The owner of an id, for every combination of known and shown credentials.
@Suite struct AdoptionTests {
    private static let mine = Adoption.Token(provider: .apns, bytes: [1])
    private static let others = Adoption.Token(provider: .apns, bytes: [2])

    @Test func `an id that exists is only for its token, its user's word or its secret`() {
        let tokens: [Adoption.Token?] = [
            nil, Self.mine, Self.others, .init(provider: ProviderName(rawValue: "fcm"), bytes: [1]),
        ]
        let users: [String?] = [nil, "ana", "ben"]
        for token in tokens {
            for user in users {
                for secret in [nil, [UInt8](repeating: 7, count: 32)] {
                    for ownUser in users {
                        for ownToken in [nil, Self.mine] {
                            let known = Adoption.Known(token: ownToken, user: ownUser, secretHash: secret)
                            let verdict = Adoption.judge(known, token: token, proof: .integrationKey(user: user))
                            let isToken = token != nil && token == ownToken
                            let isUser = user != nil && user == ownUser
                            #expect(verdict == (isToken || isUser ? .adopted : .anothers), "\(known) \(token as Any)")
                        }
                    }
                }
            }
        }
    }

    @Test func `an id that nobody has begins, and a secret opens its own id alone`() {
        #expect(Adoption.judge(nil, token: nil, proof: .integrationKey(user: nil)) == .begins)
        let known = Adoption.Known(token: Self.mine, user: "ana", secretHash: [7])
        #expect(Adoption.judge(known, token: Self.others, proof: .secret(hash: [7])) == .itself)
        #expect(Adoption.judge(known, token: Self.mine, proof: .secret(hash: [8])) == .unknownSecret)
        #expect(Adoption.judge(nil, token: Self.mine, proof: .secret(hash: [7])) == .unknownSecret)
        let silent = Adoption.Known(token: Self.mine, user: "ana", secretHash: nil)
        #expect(Adoption.judge(silent, token: Self.mine, proof: .secret(hash: [])) == .unknownSecret)
    }

    @Test func `an import keeps the secret of the same token only`() {
        let known = Adoption.Known(token: Self.mine, user: nil, secretHash: [7])
        #expect(Adoption.keepsSecret(known, token: Self.mine))
        #expect(!Adoption.keepsSecret(known, token: Self.others))
        #expect(!Adoption.keepsSecret(.init(token: nil, user: nil, secretHash: [7]), token: Self.mine))
    }

    @Test func `a campaign's content is for its pushes, once they are on their way`() {
        #expect(ContentAccess.opens(.operator, shown: nil))
        #expect(ContentAccess.opens(.campaign(3, isReleased: true), shown: 3))
        for shown: UInt32? in [nil, 4] { #expect(!ContentAccess.opens(.campaign(3, isReleased: true), shown: shown)) }
        #expect(!ContentAccess.opens(.campaign(3, isReleased: false), shown: 3))
    }
}
