import Campaigns

/// Shards of every shape that the codec supports, drawn from a seed.
enum ShardFixtures {
    static func batch(_ count: Int, with random: inout MutationGenerator, variables: Bool = true) -> DeviceBatch {
        var batch = DeviceBatch()
        let isUniform = Bool.random(using: &random)
        for _ in 0..<count {
            let length = isUniform ? 32 : Int.random(in: 1...40, using: &random)
            let token = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            var values: [String: String] = [:]
            for name in ["first", "last", "städt"] where variables && Int.random(in: 0..<3, using: &random) == 0 {
                values[name] = String(repeating: "ä", count: Int.random(in: 0..<5, using: &random))
            }
            batch.append(token: token, variables: values)
        }
        return batch
    }

    static func shard(with random: inout MutationGenerator) -> Shard {
        let count = Int.random(in: 1...20, using: &random)
        let isWhole = Bool.random(using: &random)
        let positions = isWhole ? [] : (0..<500).shuffled(using: &random).prefix(count).sorted().map { UInt16($0) }
        let key = ShardKey(campaign: 7, part: 1, ordinal: 3, child: isWhole ? 0 : 2)
        return Shard(
            id: ShardID(key: key, path: isWhole ? "" : ".5sa2"),
            generation: UInt32.random(in: 1...9, using: &random),
            attempt: UInt32.random(in: 1...8, using: &random),
            facts: facts(with: &random),
            notBefore: Bool.random(using: &random) ? Timestamp(milliseconds: 1_800_000_000_123) : nil,
            firstIndex: UInt32.random(in: 0...4_000_000, using: &random),
            positions: positions,
            devices: batch(count, with: &random)
        )
    }

    static func facts(with random: inout MutationGenerator) -> Shard.Facts {
        let carriesMessageID = Bool.random(using: &random)
        let payload = carriesMessageID ? #"{"fanfare":{"v":1,"m":"----------------------"}}"# : "{}"
        var personal = PersonalContent()
        if Bool.random(using: &random) {
            personal.placeholders = [
                TemplatePlaceholder(at: 0, source: "{{ first }}"),
                TemplatePlaceholder(at: 1, form: .firstBadge, source: "{{ n }}"),
            ]
        }
        if Bool.random(using: &random) { personal.collapseID = "score-{{ städt }}" }
        return Shard.Facts(
            app: "news",
            campaignID: "derby",
            provider: .apns,
            environment: [nil, .production, .sandbox].randomElement(using: &random) ?? nil,
            policy: DeliveryPolicy(
                urgency: Bool.random(using: &random) ? .urgent : .bulk,
                dropIfOffline: Bool.random(using: &random),
                maxAttempts: UInt32.random(in: 1...100, using: &random),
                dropUnknown: Bool.random(using: &random)
            ),
            pushType: PushType.allCases.randomElement(using: &random) ?? .alert,
            priority: 10,
            expiresAt: Timestamp(milliseconds: 1_900_000_000_000),
            collapseID: "score",
            payload: Array(payload.utf8),
            messageIDAt: carriesMessageID ? 23 : nil,
            personal: personal,
            traceParent: "00-1-2-01"
        )
    }
}
