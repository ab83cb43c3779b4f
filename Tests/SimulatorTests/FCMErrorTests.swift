import Testing

@testable import Simulator

@Suite struct FCMErrorTests {
    /// Firebase, REST reference, `ErrorCode`: HTTP status, `google.rpc.Code` and FCM's code of each.
    @Test(arguments: [
        (FCMError.unregistered, 404, "NOT_FOUND", "UNREGISTERED"),
        (.senderIDMismatch, 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
        (.projectQuota, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
        (.deviceQuota, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
        (.topicQuota, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
        (.internalError, 500, "INTERNAL", "INTERNAL"), (.unavailable, 503, "UNAVAILABLE", "UNAVAILABLE"),
        (.thirdPartyAuth, 401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
        (.invalidToken, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (.invalidMessage, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ])
    func `every error has Google's status, word and code`(
        _ error: FCMError,
        _ status: Int,
        _ word: String,
        _ code: String
    ) {
        let answer = FCMAnswers.answer(to: .refusedByFCM(error), faults: Faults())
        #expect(answer.status == status)
        #expect(answer.error?["code"]?.integer == Int64(status))
        #expect(answer.error?["status"]?.string == word)
        #expect(answer.error?["message"]?.string?.isEmpty == false)
        #expect(answer.detail("google.firebase.fcm.v1.FcmError")?["errorCode"]?.string == code)
        let isQuota = answer.status == 429
        #expect((answer.detail("google.rpc.QuotaFailure") != nil) == isQuota)
        #expect((answer.detail("google.rpc.BadRequest") != nil) == (error == .invalidMessage))
        #expect(Behaviour(word: error.rawValue) == .refusedByFCM(error))
    }

    @Test func `the faults that all providers know are said in FCM's words`() {
        var faults = Faults()
        faults.retryAfter = "30"
        let words: [(Behaviour, FCMError)] = [
            (.dead, .unregistered), (.expired, .unregistered), (.unavailableOnce, .unavailable),
            (.storm, .unavailable), (.throttledOnce, .deviceQuota), (.internalError, .internalError),
            (.badToken, .invalidToken), (.notForTopic, .senderIDMismatch),
        ]
        for (behaviour, error) in words {
            let answer = FCMAnswers.answer(to: behaviour, faults: faults)
            #expect(answer == FCMAnswers.answer(error))
            #expect(answer.retryAfter == nil)
        }
        let later = FCMAnswers.answer(to: .unavailable, faults: faults)
        #expect(later.retryAfter == "30")
        #expect(later.detail("google.rpc.RetryInfo")?["retryDelay"]?.string == "30s")
    }

    @Test func `a project's minute begins with its first message; refusals count, those for the quota do not`() throws {
        let world = try FCMWorld()
        world.faults.projectQuota = 10
        world.faults.quotaRetryAfter = "20"
        let bearer = world.token()
        var wrong = FCMSample()
        wrong.body = "{}"
        world.now += 45_000
        for _ in 0..<4 { #expect(world.send(wrong, bearer: bearer).status == 400) }
        for _ in 0..<6 { #expect(world.send(FCMSample(), bearer: bearer).status == 200) }
        for _ in 0..<5 {
            let answer = world.send(FCMSample(), bearer: bearer)
            #expect(answer.status == 429)
            #expect(answer.retryAfter == "20")
            guard case .array(let list)? = answer.detail("google.rpc.QuotaFailure")?["violations"] else {
                Issue.record("no violations")
                return
            }
            #expect(list.first?["subject"]?.string == "project:\(FCMSample.project)")
        }
        world.now += 59_999
        #expect(world.send(FCMSample(), bearer: bearer).status == 429)
        world.now += 1
        for _ in 0..<10 { #expect(world.send(FCMSample(), bearer: bearer).status == 200) }
        #expect(world.send(FCMSample(), bearer: bearer).status == 429)
    }

    @Test func `a device takes 240 messages a minute, and others are not concerned`() throws {
        let world = try FCMWorld()
        let bearer = world.token()
        var counts = TokenCounts()
        var statuses: [Int] = []
        for _ in 0..<260 {
            let answer = world.send(FCMSample(), bearer: bearer, counts: counts)
            counts.note(.answer(answer), judged: true)
            statuses.append(answer.status)
            if answer.status == 429 { #expect(answer.reason == FCMError.deviceQuota.rawValue) }
        }
        #expect(statuses.firstIndex(of: 429) == 240)
        #expect(statuses[240...].allSatisfy { $0 == 429 })
        var other = FCMSample()
        other.body = other.body.replacing("cXk3", with: "dXk3")
        #expect(world.send(other, bearer: bearer).status == 200)
        world.now += 60_000
        #expect(world.send(FCMSample(), bearer: bearer, counts: counts).status == 200)
    }

    @Test func `a device takes 5,000 messages an hour`() throws {
        var quotas = DeviceQuotas()
        let key = DeviceTokenKey(digestOf: Array("x".utf8)[...])
        var (now, taken) = (FCMSample.now, 0)
        // Three a second would be 10,800 an hour, and no minute has more than 240.
        for second in 0..<3600 {
            for _ in 0..<3 where quotas.take(key, before: taken, access: FCMAccess(), now: now) { taken += 1 }
            now = FCMSample.now + Int64(second + 1) * 1000
        }
        // The initial quota, and the refill of an hour.
        #expect((9900...10_000).contains(taken))
        var burst = 0
        for _ in 0..<10 where quotas.take(key, before: taken, access: FCMAccess(), now: now) { burst += 1 }
        #expect(burst < 3)
    }
}
