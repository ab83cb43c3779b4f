public import Campaigns
public import Delivery
public import PushProviders

/// What a job's content comes to for single devices, as a sender would render it.
public struct ContentPreview: Sendable {
    private let variants: ContentVariants
    private let programs: [(body: TemplateProgram, collapseID: TemplateProgram?)]
    private let collapseIDBytesMax: Int

    /// What one device gets.
    public struct Sample: Sendable, Equatable {
        /// The localization that it gets; nil is the standard content.
        public var locale: String?
        /// Bytes of the payload, also of one that is too long; 0 when there is none.
        public var bytes: Int
        /// Bytes that it may have.
        public var bytesMax: Int
        /// The payload with room for the message id.
        public var payload: [UInt8]
        /// What merges on the device.
        public var collapseID: String
        /// Why it gets none; nil when it is sent to.
        public var end: LeftOut?
    }

    /// Compiles a job that was checked; throws what a template has that does not compile.
    public init(
        _ job: Job,
        _ provider: any PushProvider,
        carriesMessageID: Bool
    ) throws(TemplateProblem) {
        try self.init(
            ContentVariants(job, provider, carriesMessageID: carriesMessageID),
            collapseIDBytesMax: provider.limits.collapseIDBytesMax
        )
    }

    init(_ variants: ContentVariants, collapseIDBytesMax: Int) throws(TemplateProblem) {
        self.variants = variants
        self.collapseIDBytesMax = collapseIDBytesMax
        var programs: [(body: TemplateProgram, collapseID: TemplateProgram?)] = []
        for push in variants.pushes {
            let body = try TemplateProgram(
                payload: push.payload,
                slots: push.personal.slots,
                messageIDAt: push.messageIDAt
            )
            let template = push.personal.collapseID
            programs.append((body, template.isEmpty ? nil : try TemplateProgram(text: template)))
        }
        self.programs = programs
    }

    /// Whether devices get different things.
    public var isPersonal: Bool { variants.isPersonal }

    /// The tags of the localizations.
    public var locales: [String] { variants.locales }

    /// So much is rendered to tell how long a payload would be.
    private static let bytesMax = 65_536

    /// Whether each device's badge is counted.
    public var countsBadges: Bool {
        variants.pushes.contains { push in
            push.personal.slots.contains { $0.form.isCount && $0.source == BadgeStep.template }
        }
    }

    /// What each of some devices gets, in their order.
    ///
    /// - Parameters:
    ///   - devices: The devices with their variables.
    ///   - badges: Their counts where badges are counted, nil for a device without one; by default the longest count.
    public func samples(_ devices: [Device], badges: [Int?]? = nil) -> [Sample] {
        var devices = devices
        if countsBadges {
            for index in devices.indices {
                let badge = badges.map { $0[index] } ?? BadgeStep.countMax
                devices[index].variables[BadgeStep.variable] = badge.map { String($0) }
            }
        }
        var samples = [Sample?](repeating: nil, count: devices.count)
        let groups = Dictionary(grouping: devices.indices) { variants.index(of: devices[$0].locale) }
        for (variant, members) in groups {
            for start in stride(from: 0, to: members.count, by: Shard.devicesMax) {
                let part = members[start..<min(start + Shard.devicesMax, members.count)]
                var batch = DeviceBatch()
                for index in part { batch.append(token: [0], variables: devices[index].variables) }
                let body = TemplateRenderer(programs[variant].body, batch, bytesMax: Self.bytesMax)
                let collapseID = programs[variant].collapseID.map {
                    TemplateRenderer($0, batch, bytesMax: Self.bytesMax)
                }
                for (position, index) in part.enumerated() {
                    samples[index] = sample(variant, position, body, collapseID)
                }
            }
        }
        return samples.compactMap(\.self)
    }

    private func sample(
        _ variant: Int,
        _ position: Int,
        _ body: TemplateRenderer,
        _ collapseID: TemplateRenderer?
    ) -> Sample {
        let push = variants.pushes[variant]
        var sample = Sample(
            locale: variant == 0 ? nil : variants.locales[variant - 1],
            bytes: 0,
            bytesMax: push.payloadBytesMax,
            payload: [],
            collapseID: push.collapseID
        )
        let failure = body.render(position)
        if failure == nil || failure == .tooLarge {
            sample.payload = Array(body.bytes)
            sample.bytes = sample.payload.count
            if failure != nil || sample.bytes > sample.bytesMax { sample.end = LeftOut(.tooLarge) }
        } else if let failure {
            sample.end = LeftOut(failure)
        }
        guard sample.end == nil, let collapseID else { return sample }
        if let failure = collapseID.render(position) {
            sample.end = failure == .tooLarge ? .invalidCollapseID : LeftOut(failure)
        } else if collapseID.bytes.count > collapseIDBytesMax
            || !PersonalRequests.isHeaderValue(collapseID.bytes)
        {
            sample.end = .invalidCollapseID
        } else if !collapseID.bytes.isEmpty {
            sample.collapseID = String(decoding: collapseID.bytes, as: UTF8.self)
        }
        return sample
    }
}

extension ContentPreview {
    /// Warnings of devices that will get nothing because of their variables; those that a template drops on purpose
    /// are none.
    public static func warnings(_ samples: [Sample]) -> [Problem] {
        let failed = samples.filter { $0.end?.outcome == .failed }
        let reasons = Dictionary(grouping: failed) { $0.end?.reason ?? "" }
        return reasons.sorted { $0.key < $1.key }.map { reason, failed in
            let longest = failed.max { $0.bytes < $1.bytes }
            let size = longest.map { $0.bytes > 0 ? ": \($0.bytes) bytes of \($0.bytesMax) at worst" : "" } ?? ""
            return Problem(
                pointer: "/content",
                code: reason == LeftOut(.tooLarge).reason ? .maybeTooLarge : .unusual,
                detail: "\(failed.count) of \(samples.count) devices end failed (\(reason))\(size)",
                fix: "fanfare campaign preview shows what they would get"
            )
        }
    }

    /// What can be said of a list of which only the longest value of each variable is known.
    ///
    /// An estimate: a template may make something else of other values.
    func warnings(longest: [String: Int]) -> [Problem] {
        let variables = longest.mapValues { String(repeating: "m", count: $0) }
        let devices = ([nil] + locales).map { Device(token: "", locale: $0, variables: variables) }
        let tooLarge = samples(devices).filter { $0.end == LeftOut(.tooLarge) }
        guard let longest = tooLarge.max(by: { $0.bytes < $1.bytes }) else { return [] }
        return [
            Problem(
                pointer: "/content",
                code: .maybeTooLarge,
                detail: "with the longest value of each variable the payload has \(longest.bytes) bytes of "
                    + "\(longest.bytesMax); a device over it ends failed (PayloadTooLarge)",
                fix: "shorten with | truncate: 40"
            )
        ]
    }
}
