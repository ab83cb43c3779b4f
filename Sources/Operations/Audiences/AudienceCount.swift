package import Campaigns
import Delivery
package import Store

/// An audience, counted or estimated before anything is sent, by the same walk that freezes it.
package struct AudienceCount: Sendable, Equatable {
    /// Devices in the audience.
    package private(set) var devices = 0
    /// The largest difference of `devices` from the true number in 19 of 20 cases; nil if they are counted.
    package private(set) var error: Int?
    /// Devices in the audience that do not allow alerts.
    package private(set) var denied = 0
    /// Users of the job that have no live device.
    package private(set) var withoutToken = 0
    /// Devices by provider.
    package private(set) var providers: [String: Int] = [:]
    /// Devices by locale; an empty name means none.
    package private(set) var locales: [String: Int] = [:]
    /// Devices by time zone; an empty name means none.
    package private(set) var timeZones: [String: Int] = [:]
    /// The way in which the devices were found, if it was asked for and they are of the registry.
    package private(set) var explanation: AudienceExplanation?

    /// The ledger lacks a list that an audience names.
    package struct UnknownList: Error {
        /// The list, and how to upload it.
        package let problem: Problem
    }

    /// Counts an audience; writes nothing.
    ///
    /// Throws `UnknownList` when a list that it names does not exist.
    ///
    /// - Parameters:
    ///   - selector: The devices that are meant.
    ///   - exclude: The devices that are left out.
    ///   - app: The app.
    ///   - isExact: False to estimate a part of a large registry instead, from some 16,000 devices of it; an audience
    ///     of no more that the index finds is counted in any case.
    ///   - explains: True to say how the devices were found.
    ///   - starting: The type of the Live Activities that are started: only devices with a token for it are meant.
    ///   - ledger: The ledger.
    package static func of(
        _ selector: Audience,
        exclude: Audience?,
        app: String,
        isExact: Bool,
        explains: Bool = false,
        starting: String? = nil,
        in ledger: Ledger
    ) async throws -> AudienceCount {
        func number(_ selector: Audience?, isExcluded: Bool = false) async throws -> UInt32? {
            guard case .list(let name, let version) = selector else { return nil }
            let record = try await ledger.read { try $0.list(app: app, name: name, version: version) }
            guard let record else {
                let store = "the store \(ledger.storeID)"
                var problem = Problem.unknownList(name: name, version: version, store: store)
                if isExcluded { problem.pointer = "/audience/exclude/list" }
                throw UnknownList(problem: problem)
            }
            return record.number
        }
        let now = ledger.now()
        let source: AudienceWalk.Source
        switch selector {
        case .segment(let segment):
            source = .registry(try await TrackedSegment.read(segment, app: app, now: now, from: ledger))
        case .everyone: source = .registry(nil)
        case .users(let users): source = .users(users)
        case .activity(let name): source = .activity(name)
        case .list: source = .list(try await number(selector) ?? 0, chunks: 0)
        // Whoever follows it, it is one device.
        case .channel(let name): source = try chunks([Device(token: name, provider: .broadcast)])
        case .devices(let devices): source = try chunks(devices)
        }
        let exclusion = try await Exclusion.read(
            exclude,
            app: app,
            list: try await number(exclude, isExcluded: true),
            now: now,
            from: ledger
        )
        var question = Question(source: source, app: app, exclusion: exclusion, isExact: isExact, explains: explains)
        question.starting = starting
        return try await answer(question, ledger)
    }

    private static func chunks(_ devices: [Device]) throws -> AudienceWalk.Source {
        .chunks(try InlineList(devices: devices).chunks.map(StoredChunk.init))
    }

    /// A question whose lists and exclusion are read.
    private struct Question {
        var source: AudienceWalk.Source
        var app: String
        var exclusion: Exclusion
        var isExact: Bool
        var explains: Bool
        var starting: String?
    }

    private static func answer(_ question: Question, _ ledger: Ledger) async throws -> AudienceCount {
        let (source, app, exclusion) = (question.source, question.app, question.exclusion)
        let last = try await ledger.read { try $0.registryEnd(app: app)?.end ?? 0 }
        var plan: AudiencePlan?
        if case .registry(let segment) = source {
            plan = try await AudiencePlan.read(segment, last: last, from: ledger)
        }
        let explained = question.explains ? plan : nil
        let isFew = plan?.index.map { $0.expected <= Int(AudienceSample.countedMost) } ?? false
        let isLarge = last & 0xFFFF_FFFF > AudienceSample.countedMost
        if case .registry = source, !question.isExact, !isFew, isLarge {
            var count = try await estimate(question, last, ledger)
            count.explanation = explained.map { AudienceExplanation($0, last: last, read: nil) }
            return count
        }
        let walk = AudienceWalk(
            source,
            app: app,
            exclusion: exclusion,
            carriesVariables: false,
            from: 0,
            to: last,
            by: plan?.index,
            starting: question.starting,
            in: ledger
        )
        var (count, groups): (AudienceCount, [ListChunk.Group: Int]) = (AudienceCount(), [:])
        while !walk.isOver {
            try await walk.next { member in
                groups[member.group, default: 0] += 1
                if member.isDenied { count.denied += 1 }
            }
        }
        for (group, devices) in groups { count.add(devices, of: group) }
        count.withoutToken = walk.withoutToken
        count.explanation = explained.map { AudienceExplanation($0, last: last, read: walk.rowsRead) }
        return count
    }

    private static func estimate(
        _ question: Question,
        _ last: Int64,
        _ ledger: Ledger
    ) async throws -> AudienceCount {
        var (denied, groups): (Int, [ListChunk.Group: Int]) = (0, [:])
        let (registry, random) = (last & 0xFFFF_FFFF, UInt64.random(in: 0 ... .max))
        let sample = try await AudienceSample.measure(
            question.source,
            by: nil,
            app: question.app,
            exclusion: question.exclusion,
            last: last,
            random: random,
            starting: question.starting,
            in: ledger
        ) { member in
            groups[member.group, default: 0] += 1
            if member.isDenied { denied += 1 }
            return true
        }
        let ranges = AudienceSample.positions(in: registry, random: random).count
        let factor = Double(registry) / Double(AudienceSample.span) / Double(ranges)
        func whole(_ devices: Int) -> Int { Int((Double(devices) * factor).rounded()) }
        var count = AudienceCount()
        for (group, devices) in groups { count.add(whole(devices), of: group) }
        let estimate = sample.estimate(left: registry)
        (count.devices, count.error, count.denied) = (estimate.devices, estimate.error, whole(denied))
        return count
    }

    private mutating func add(_ devices: Int, of group: ListChunk.Group) {
        self.devices += devices
        providers[group.provider.rawValue, default: 0] += devices
        locales[group.locale ?? "", default: 0] += devices
        timeZones[group.timeZone ?? "", default: 0] += devices
    }

    /// The document of `audience check --json`; an unknown name is an empty key, because `null` cannot be one.
    package var json: JSONValue {
        func object(_ counts: [String: Int]) -> JSONValue {
            .object(Self.sorted(counts).map { JSONMember($0.name, .number(JSONNumber($0.count))) })
        }
        return .object([
            "devices": .number(JSONNumber(devices)), "denied": .number(JSONNumber(denied)),
            "users_without_device": .number(JSONNumber(withoutToken)), "providers": object(providers),
            "locales": object(locales), "time_zones": object(timeZones), "estimated": .bool(error != nil),
            "error": .number(JSONNumber(error ?? 0)), "explain": explanation?.json,
        ])
    }

    /// The counts for people, as tables.
    package var text: String {
        var lines = ["\(NumberText.grouped(devices)) device\(devices == 1 ? "" : "s")"]
        if let error {
            lines[0] = "\(AudienceEstimate(devices: devices, error: error).text) devices (counted with --exact)"
        }
        if denied > 0 { lines[0] += ", \(NumberText.grouped(denied)) of them want no alerts" }
        if withoutToken > 0 { lines[0] += ", \(NumberText.grouped(withoutToken)) users without a device" }
        for (name, counts) in [("provider", providers), ("locale", locales), ("time zone", timeZones)]
        where !counts.isEmpty {
            var table = TextTable([(name, .left), ("devices", .right), ("share", .right)])
            for entry in Self.sorted(counts) {
                let shown = entry.name.isEmpty ? "(none)" : entry.name
                table.add([shown, NumberText.grouped(entry.count), NumberText.percent(entry.count, of: devices)])
            }
            lines += ["", table.text]
        }
        if let explanation { lines += ["", explanation.text] }
        return lines.joined(separator: "\n")
    }

    /// Returns the counts, the largest first.
    private static func sorted(_ counts: [String: Int]) -> [(name: String, count: Int)] {
        counts.map { (name: $0.key, count: $0.value) }
            .sorted { $0.count == $1.count ? $0.name < $1.name : $0.count > $1.count }
    }
}
