import Campaigns

/// A campaign's progress, with the CPU of workers and simulator, at one instant.
struct CampaignSample: Sendable {
    /// Devices whose request has ended: accepted, invalid or failed.
    var done = 0
    /// CPU of each worker process, in seconds.
    var cpu: [Double] = []
    /// CPU of all workers' threads by kind.
    var threads = ThreadMetrics()
    /// CPU of the simulator, in seconds.
    var peer = 0.0
    /// Seconds since the campaign was published.
    var seconds = 0.0
    /// Resident memory of the largest worker, in KiB.
    var resident = 0
}

/// A campaign's samples; keeps those that bound its steady state.
struct CampaignTrack: Sendable {
    private let devices: Int
    private var start: CampaignSample?
    private var first: CampaignSample?
    private var last: CampaignSample?
    private var end: CampaignSample?

    /// Starts the track of a campaign with so many devices.
    init(devices: Int) {
        self.devices = devices
    }

    /// Takes the next sample; the first is from before the publish.
    mutating func add(_ sample: CampaignSample) {
        if start == nil { start = sample }
        if first == nil, sample.done * 10 >= devices { first = sample }
        if first != nil, sample.done * 10 <= devices * 9 { last = sample }
        if end.map({ $0.done < sample.done }) ?? true { end = sample }
    }

    /// The samples from before the publish and from the end; nil when nothing was done.
    var whole: (CampaignSample, CampaignSample)? {
        guard let start, let end, end.done > start.done else { return nil }
        return (start, end)
    }

    /// The samples at a tenth and at nine tenths of the devices, or first and last of a campaign too short for that;
    /// nil when nothing was done.
    var window: (CampaignSample, CampaignSample)? {
        if let first, let last, last.done > first.done { return (first, last) }
        return whole
    }
}

/// A campaign's cost in its steady state.
struct CampaignRun: Sendable {
    /// Devices done in that time.
    let devices: Int
    let seconds: Double
    /// CPU of each worker, in seconds.
    let cpu: [Double]
    /// CPU of each worker over the whole campaign, from before the publish.
    let wholeCPU: [Double]
    let threads: ThreadMetrics
    let peerSeconds: Double
    /// Requests of the whole campaign, by the ledger.
    let attempts: Int
    /// Devices of the whole campaign by outcome.
    let outcomes: OutcomeCounts
    /// True if it took too long and was cancelled.
    let wasCut: Bool
    /// The highest resident memory of any worker, in KiB.
    let residentPeak: Int
    /// Resident memory of the largest worker at the end of the steady state, as a multiple of that at its beginning.
    let residentGrowth: Double

    /// Devices a second.
    var rate: Double { Double(devices) / max(seconds, 1e-9) }
    /// CPU of all workers for a device, in microseconds.
    var microseconds: Double { microseconds(cpu.reduce(0, +)) }

    func microseconds(_ seconds: Double) -> Double { seconds * 1e6 / Double(max(1, devices)) }

    /// The run for a comparison with h2load.
    var benchRun: BenchRun {
        BenchRun(
            requests: devices,
            cpuSeconds: cpu.reduce(0, +),
            rate: rate,
            peerMicroseconds: microseconds(peerSeconds)
        )
    }

    /// The run, for scripts.
    var json: JSONValue {
        .object([
            "devices": .number(JSONNumber(devices)), "rate": .decimal(rate), "cpu_us": .decimal(microseconds),
            "loops_us": .decimal(microseconds(threads[.loops])),
            "ledger_us": .decimal(microseconds(threads[.ledger])),
            "tasks_us": .decimal(microseconds(threads[.tasks])), "far_cpu_us": .decimal(microseconds(peerSeconds)),
            "attempts": .number(JSONNumber(attempts)), "cut": .bool(wasCut),
            "resident_peak_kib": .number(JSONNumber(residentPeak)),
        ])
    }
}
