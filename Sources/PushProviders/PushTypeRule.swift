import Campaigns

/// Push types that only Apple has: an activity, a call and the like are nothing on other systems.
enum PushTypeRule {
    /// What is wrong with a job for a provider that shows alerts and wakes apps, and knows nothing else.
    static func problem(_ job: Job, _ provider: ProviderName) -> Problem? {
        let type = job.effectivePushType
        guard ![.alert, .background].contains(type) else { return nil }
        return Problem(
            pointer: "/delivery/push_type",
            code: .conflict,
            detail: "push type \(type.rawValue) is Apple's alone, and the audience may have devices of "
                + provider.rawValue,
            fix: fix(job)
        )
    }

    /// How the audience comes to be Apple's devices only, in the words of the job at hand.
    private static func fix(_ job: Job) -> String {
        switch job.audience {
        case .devices: "leave out the devices that are not apns"
        case .list: "send it to a list of apns devices only"
        case .segment(let segment) where segment.text.contains("||"):
            #"give segment as "provider == apns && (…)", with the present one in the parentheses"#
        case .segment: #"give segment as "provider == apns && …", with the present one behind it"#
        case .everyone: #"give "segment": "provider == apns" in place of everyone"#
        case .users: #"give "exclude": {"segment": "provider != apns"}"#
        }
    }
}
