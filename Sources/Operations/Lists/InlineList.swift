package import Campaigns
import PushProviders

/// The devices of a job as a list: chunks, version, and the number of duplicates.
package struct InlineList {
    /// The devices, each once.
    package var chunks: [ListChunk]
    /// The hash of the content.
    package var version: String
    /// The number of devices that occurred again.
    package var duplicates: Int

    /// Cuts inline devices into chunks.
    ///
    /// A device that occurs twice (provider and token) is sent to once.
    package init(devices: [Device]) throws {
        var builder = ListBuilder()
        var seen: Set<String> = []
        var list = ListVersion()
        chunks = []
        duplicates = 0
        for device in devices {
            guard seen.insert("\(device.provider.rawValue) \(device.token)").inserted else {
                duplicates += 1
                continue
            }
            if let chunk = builder.add(device, token: ProviderRegistry.tokens.bytes(of: device)) {
                chunks.append(chunk)
            }
        }
        chunks += builder.finish()
        for chunk in chunks { try list.add(chunk) }
        version = list.text
    }
}
