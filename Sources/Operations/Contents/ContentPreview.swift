package import Campaigns
package import Delivery
import PushProviders

/// A job's content for single devices, as a sender would render it.
package struct ContentPreview: Sendable {
    private let variants: ContentVariants
    private let programs: [(body: TemplateProgram, collapseID: TemplateProgram?)]
    private let collapseIDBytesMax: Int

    /// The content for one device.
    package struct Sample: Sendable, Equatable {
        /// The localization that the device gets; nil is the standard content.
        package var locale: String?
        /// The size of the payload in bytes, even if it is too long; 0 when there is none.
        package var bytes: Int
        /// The size limit in bytes.
        package var bytesMax: Int
        /// The payload with room for the message id.
        package var payload: [UInt8]
        /// The rendered collapse id.
        package var collapseID: String
        /// The reason why the device gets no push; nil when it is sent to.
        package var end: LeftOut?
    }

    /// Compiles the content of a job that was checked; throws the problem of a template that does not compile.
    package init(_ variants: ContentVariants) throws(TemplateProblem) {
        collapseIDBytesMax = variants.provider.limits.collapseIDBytesMax
        self.variants = variants
        var programs: [(body: TemplateProgram, collapseID: TemplateProgram?)] = []
        for push in variants.pushes {
            let body = try TemplateProgram(
                payload: push.payload,
                placeholders: push.personal.placeholders,
                messageIDAt: push.messageIDAt
            )
            let template = push.personal.collapseID
            programs.append((body, template.isEmpty ? nil : try TemplateProgram(text: template)))
        }
        self.programs = programs
    }

    /// The tags of the localizations.
    package var locales: [String] { variants.locales }

    /// The limit of rendering, well above a payload's, to tell how long a payload would be.
    private static let bytesMax = 65_536

    /// True if each device's badge is counted.
    package var countsBadges: Bool {
        variants.pushes.contains { push in
            push.personal.placeholders.contains { $0.form.isCount && $0.source == BadgeStep.template }
        }
    }

    /// Returns the content of each of some devices, in their order.
    ///
    /// - Parameters:
    ///   - devices: The devices with their variables.
    ///   - badges: Their counts where badges are counted, nil for a device without one; by default the longest count.
    package func samples(_ devices: [Device], badges: [Int?]? = nil) -> [Sample] {
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
    /// Returns warnings for devices whose variables leave them without a push, unless a template drops them on
    /// purpose.
    package static func warnings(_ samples: [Sample]) -> [Problem] {
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

    /// Returns warnings for a list when only the longest value of each variable is known.
    ///
    /// It is an estimate: a template may render other values differently.
    package func warnings(longest: [String: Int]) -> [Problem] {
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
