package import Campaigns

/// A job's content for single devices, each rendered for its provider.
package struct JobPreview: Sendable {
    let previews: [ProviderName: ContentPreview]

    /// True if a device's payload contains the badge count that the registry keeps.
    package var countsBadges: Bool { previews.values.contains { $0.countsBadges } }

    /// Returns the content for devices, in their order; `badges`: the count of each, if it is known.
    package func samples(_ devices: [Device], badges: [Int?]? = nil) -> [ContentPreview.Sample] {
        var samples: [Int: ContentPreview.Sample] = [:]
        for (provider, indexes) in Dictionary(grouping: devices.indices, by: { devices[$0].provider }) {
            guard let preview = previews[provider] else {
                preconditionFailure("a device of \(provider.rawValue), which no reader takes")
            }
            let theirs = preview.samples(
                indexes.map { devices[$0] },
                badges: badges.map { all in indexes.map { all[$0] } }
            )
            for (index, sample) in zip(indexes, theirs) { samples[index] = sample }
        }
        return devices.indices.compactMap { samples[$0] }
    }
}
