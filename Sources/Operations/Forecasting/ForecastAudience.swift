import Campaigns
import Delivery
import Store

/// The devices of a job by provider, counted or estimated, with their time zones.
struct ForecastAudience: Sendable, Equatable {
    /// The devices by provider.
    private(set) var devices: [ProviderName: AudienceEstimate] = [:]
    /// The time zones of a job by time zone; nil among them for devices that have none.
    private(set) var timeZones: Set<String?> = []

    /// The devices that a job names; nil if it names none.
    init?(inline job: Job) {
        guard case .devices(let named) = job.audience else { return nil }
        for (provider, theirs) in Dictionary(grouping: named, by: \.provider) {
            devices[provider] = AudienceEstimate(devices: theirs.count, error: 0)
        }
        timeZones = Set(named.map(\.timeZone))
    }

    private init() {}

    /// Reads the devices of a job; nil if a list that it names does not exist.
    ///
    /// An excluded list is not read, which may be as large as the audience: so many devices may be fewer.
    static func read(_ job: Job, in ledger: Ledger) async throws -> ForecastAudience? {
        var audience: ForecastAudience
        switch job.audience {
        case .devices:
            guard let named = ForecastAudience(inline: job) else { return nil }
            audience = named
        case .channel:
            audience = ForecastAudience()
            audience.devices = [.broadcast: AudienceEstimate(devices: 1, error: 0)]
        case .list(let name, let version):
            guard let list = try await read(list: name, version, of: job, in: ledger) else { return nil }
            audience = list
        case .users, .segment, .everyone, .activity:
            audience = try await read(registry: job, in: ledger)
        }
        if case .list(let name, let version) = job.exclude {
            let left = try await ledger.read { try $0.list(app: job.app, name: name, version: version)?.devices ?? 0 }
            audience.mayLack(left)
        }
        return audience
    }

    private static func read(
        list name: String,
        _ version: String?,
        of job: Job,
        in ledger: Ledger
    ) async throws -> ForecastAudience? {
        let (app, isByTimeZone) = (job.app, job.isByTimeZone)
        return try await ledger.read { reader throws(LedgerError) -> ForecastAudience? in
            guard let list = try reader.list(app: app, name: name, version: version) else { return nil }
            var audience = ForecastAudience()
            let providers = try reader.providers(list: list.number)
            // The counts of a list of one provider are in its row.
            let counts =
                if let only = providers.first, providers.count == 1 { [only: list.devices] } else {
                    try reader.deviceCounts(list: list.number)
                }
            audience.devices = counts.mapValues { AudienceEstimate(devices: $0, error: 0) }
            if isByTimeZone { audience.timeZones = Set(try reader.timeZones(list: list.number)) }
            return audience
        }
    }

    private static func read(registry job: Job, in ledger: Ledger) async throws -> ForecastAudience {
        let exclude: Audience? = if case .list = job.exclude { nil } else { job.exclude }
        let count = try await AudienceCount.of(
            job.audience,
            exclude: exclude,
            app: job.app,
            isExact: false,
            starting: job.startedType,
            in: ledger
        )
        var audience = ForecastAudience()
        for (name, devices) in count.providers where job.mayReach(ProviderName(rawValue: name)) {
            // The error of a part, which was in the same sample, is at most that of the whole.
            let error = min(count.error ?? 0, devices)
            audience.devices[ProviderName(rawValue: name)] = AudienceEstimate(devices: devices, error: error)
        }
        audience.timeZones = Set(count.timeZones.keys.map { $0.isEmpty ? nil : $0 })
        return audience
    }

    /// Notes that up to so many devices of any provider are left out.
    private mutating func mayLack(_ left: Int) {
        for provider in devices.keys {
            guard var estimate = devices[provider] else { continue }
            estimate.error = min(estimate.devices, estimate.error + left)
            devices[provider] = estimate
        }
    }
}
