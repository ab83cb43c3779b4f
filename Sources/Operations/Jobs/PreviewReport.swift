package import Campaigns
import Delivery

/// The pushes of a job for single devices, for people and for scripts.
package struct PreviewReport: Sendable {
    private let kind: CampaignKind
    private let devices: [Device]
    /// The content of each device.
    package let samples: [ContentPreview.Sample]
    private let chosen: [Int]
    /// Warnings about the job.
    package var warnings: [Problem] = []

    /// Nobody among the devices has this id or token.
    package struct UnknownDevice: Error {
        /// The name, as it was given.
        package let name: String
    }

    /// Renders a job for devices.
    ///
    /// It shows those of `names` (ids or tokens); without names the first device of each language, the longest payload,
    /// and one device for each reason why devices get none. `badges` are the counts that the registry would make.
    package init(
        _ job: Job,
        _ preview: JobPreview,
        _ devices: [Device],
        names: [String],
        badges: [Int?]?
    ) throws(UnknownDevice) {
        kind = job.kind
        self.devices = devices
        samples = preview.samples(devices, badges: badges)
        if names.isEmpty {
            chosen = Self.typical(samples)
            return
        }
        var chosen: [Int] = []
        for name in names {
            guard let index = devices.firstIndex(where: { $0.id == name || $0.token == name.lowercased() }) else {
                throw UnknownDevice(name: name)
            }
            chosen.append(index)
        }
        self.chosen = chosen
    }

    private static func typical(_ samples: [ContentPreview.Sample]) -> [Int] {
        var chosen: Set<Int> = []
        let sent = samples.indices.filter { samples[$0].end == nil }
        for group in Dictionary(grouping: sent, by: { samples[$0].locale }).values {
            if let first = group.first { chosen.insert(first) }
        }
        if let longest = sent.max(by: { samples[$0].bytes < samples[$1].bytes }) { chosen.insert(longest) }
        let left = samples.indices.filter { samples[$0].end != nil }
        for group in Dictionary(grouping: left, by: { samples[$0].end?.reason ?? "" }).values {
            if let first = group.first { chosen.insert(first) }
        }
        return chosen.sorted()
    }

    /// Returns the producer's name of a device, or the token's first digits: a whole token is confidential.
    private func name(_ index: Int) -> String { devices[index].id ?? String(devices[index].token.prefix(8)) + "…" }

    /// The samples for people, with a summary in the last line.
    package var text: String {
        var parts = chosen.map { index in
            let sample = samples[index]
            let size = sample.bytes == 0 ? "" : "\(sample.bytes) of \(sample.bytesMax) bytes"
            let end = sample.end.map { "\($0.outcome.name) (\($0.reason))" } ?? ""
            let head = [name(index), sample.locale ?? "standard", size, end].filter { !$0.isEmpty }
            let payload = sample.payload.isEmpty ? "" : "\n" + String(decoding: sample.payload, as: UTF8.self)
            return TerminalText.safe(head.joined(separator: "  ")) + payload
        }
        let counts = Dictionary(grouping: samples) { sample in
            sample.end.map { "\($0.outcome.name) (\($0.reason))" } ?? "sent"
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\(NumberText.grouped($0.value.count)) \($0.key)" }
        let what = kind == .notification ? "" : "\(kind.rawValue.replacing("_", with: " ")): "
        parts.append("\(what)of \(NumberText.grouped(samples.count)) devices: \(summary.joined(separator: ", "))")
        return parts.joined(separator: "\n\n")
    }

    /// The document of `campaign preview --json`.
    package var json: JSONValue {
        let counts = Dictionary(grouping: samples) { $0.end?.outcome.name ?? "sent" }
        return .object([
            "kind": .string(kind.rawValue),
            "devices": .number(JSONNumber(samples.count)),
            "counts": .object(
                counts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number(JSONNumber($0.value.count))) }
            ),
            "samples": .array(chosen.map(sample)),
            "warnings": .array(warnings.map(\.json)),
        ])
    }

    private func sample(_ index: Int) -> JSONValue {
        let sample = samples[index]
        let payload = JSONReader.read(sample.payload).value
        return .object([
            "device": .string(name(index)),
            "locale": sample.locale.map { .string($0) } ?? .null,
            "bytes": .number(JSONNumber(sample.bytes)),
            "bytes_max": .number(JSONNumber(sample.bytesMax)),
            "outcome": sample.end.map { .string($0.outcome.name) } ?? .null,
            "reason": sample.end.map { .string($0.reason) } ?? .null,
            "collapse_id": .string(sample.collapseID),
            "payload": payload ?? .null,
        ])
    }
}
