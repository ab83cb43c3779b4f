import Operations
import Seeds

/// A campaign of a run: its kind, its devices and what its operator does, drawn from the seed.
///
/// A campaign is the same whatever else a smaller plan leaves out.
struct FleetCampaign {
    /// The kinds of campaigns; times are milliseconds after the job is published.
    enum Kind: Equatable {
        case plain
        /// It is replaced by the next campaign if there is one.
        case older
        case newer
        case cancelled(after: Int)
        case paused(after: Int, for: Int)
        case held(for: Int)
        case expiring(after: Int)
    }

    /// An operator's order to a campaign.
    struct Order {
        var order: LifeOrder
        /// The time since the order before it, or since the job was published.
        var after: Int
    }

    let number: Int
    let kind: Kind
    let perSecond: Int?
    let isUrgent: Bool
    /// True if its job comes by the urgent intake.
    let isFast: Bool
    /// The numbers of its devices, which a newer campaign shares with its older one.
    let devices: Range<Int>

    /// The most devices of a campaign.
    private static let devicesMax = 1_000

    init(_ number: Int, of plan: Plan) {
        self.number = number
        // Both of a pair know that they are one.
        var pair = Self.random(plan, number / 2, 1)
        var random = Self.random(plan, number, 2)
        let isPair = pair.below(6) == 0
        kind = isPair ? number % 2 == 0 ? .older : .newer : Self.kind(&random)
        let isLong = kind != .plain || random.below(4) == 0
        perSecond = isLong && random.chance(0.5) ? [20, 40, 60][random.below(3)] : nil
        // Whatever happens to a campaign in its middle needs one that lasts.
        let count = plan.devicesPerShard * (isLong && !isPair ? 4 : isPair ? 3 : 1)
        // Urgent campaigns are the short ones, and some of them come by the shared intake.
        isUrgent = (isPair || kind == .plain) && perSecond == nil && random.below(4) == 0
        isFast = isUrgent && random.below(4) > 0
        let first = (isPair ? number / 2 * 2 : number) * Self.devicesMax
        devices = first..<first + count
    }

    private static func random(_ plan: Plan, _ number: Int, _ stream: UInt64) -> SeededRandom {
        SeededRandom(seed: plan.seed ^ 0x5EED_0006 &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ stream << 56)
    }

    private static func kind(_ random: inout SeededRandom) -> Kind {
        let (soon, later) = (random.below(1_000), 100 + random.below(4_000))
        return switch random.below(10) {
        case 0: .cancelled(after: soon)
        case 1: .paused(after: soon, for: later)
        case 2: .held(for: later)
        case 3: .expiring(after: 1_000 + later)
        default: .plain
        }
    }

    /// The orders that its operator gives, one after the other.
    var orders: [Order] {
        switch kind {
        case .plain, .older, .newer, .expiring: []
        case .cancelled(let after): [Order(order: .cancel, after: after)]
        case .paused(let after, let time): [Order(order: .pause, after: after), Order(order: .resume, after: time)]
        case .held(let time): [Order(order: .fire, after: time)]
        }
    }

    /// The time from the job's publishing to the campaign's end, in milliseconds; nil without an end of its own.
    ///
    /// A plain one lasts longer than any run, and no longer than a clock may jump: it only ends if somebody believes
    /// such a clock.
    var endsAfter: Int? {
        switch kind {
        case .expiring(let after): after
        case .plain: 2_100_000
        case .older, .newer, .cancelled, .paused, .held: nil
        }
    }

    var id: String { "derby-\(number)" }

    /// Returns the number of the campaign whose id it is.
    static func number(of id: String) -> Int? { id.split(separator: "-").last.flatMap { Int($0) } }

    // MARK: - The job

    /// The words of the title before the campaign's number, by which the push service knows a campaign.
    static let title = "Kick-off "

    /// The job of the campaign, with its end if it has one.
    func job(expiresAt: String?) -> String {
        let tokens = devices.map { "{\"token\":\"\(Self.token($0))\",\"locale\":\"\(locale(of: $0))\"}" }
            .joined(separator: ",")
        return "{\"id\":\"\(id)\",\"app\":\"\(FleetFiles.app)\",\"created_at\":\"\(createdAt)\","
            + "\"audience\":{\"devices\":[\(tokens)]},\"delivery\":{\(delivery(expiresAt).joined(separator: ","))},"
            + "\"content\":{\"title\":\"\(Self.title)\(number)!\",\"body\":\"The derby has begun.\"}}"
    }

    private func delivery(_ expiresAt: String?) -> [String] {
        var fields = perSecond.map { ["\"per_second\":\($0)"] } ?? []
        if isUrgent { fields.append("\"urgency\":\"urgent\"") }
        if let expiresAt { fields.append("\"expires_at\":\"\(expiresAt)\"") }
        switch kind {
        case .plain, .cancelled, .paused, .expiring: break
        case .older, .newer: fields.append("\"collapse_id\":\"score-\(number / 2)\"")
        case .held: fields.append("\"hold\":true")
        }
        return fields
    }

    /// An instant that is hours ago, so that no step of the clock puts it into the future; the later of two campaigns
    /// has the later one.
    private var createdAt: String {
        let (minutes, seconds) = (number / 60, number % 60)
        return "2026-11-27T18:\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)Z"
    }

    /// Returns the locale of a device: those of one are a shard, so that most campaigns have several.
    private func locale(of device: Int) -> String {
        Self.locales[(device - devices.lowerBound) * Self.locales.count / devices.count]
    }

    /// The locales in their order, so that a list has the devices in theirs.
    private static let locales = ["de", "en", "fr"]

    /// Returns a device token whose last digits are the device's number.
    private static func token(_ device: Int) -> String {
        let number = String(device, radix: 16)
        return String(repeating: "a", count: 56) + String(repeating: "0", count: 8 - number.count) + number
    }
}
