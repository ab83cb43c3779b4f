import Foundation
import Testing

/// The library's manifest for the App Store.
@Suite struct PrivacyManifestTests {
    private let kit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/FanfareKit").resolvingSymlinksInPath()

    @Test func `the privacy manifest has Apple's four keys, and a reason for each API that is used`() throws {
        let data = try Data(contentsOf: kit.appendingPathComponent("PrivacyInfo.xcprivacy"))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let keys: Set = [
            "NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes", "NSPrivacyAccessedAPITypes",
        ]
        #expect(Set(list.keys) == keys)
        #expect(list["NSPrivacyTracking"] as? Bool == false && (list["NSPrivacyTrackingDomains"] as? [String]) == [])
        let collected = try #require(list["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        for type in collected {
            #expect(type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
            #expect((type["NSPrivacyCollectedDataTypePurposes"] as? [String])?.isEmpty == false)
        }
        let used = try #require(list["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        var reasons: [String: [String]] = [:]
        for entry in used {
            let type = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            reasons[type] = entry["NSPrivacyAccessedAPITypeReasons"] as? [String]
        }
        #expect(reasons == ["NSPrivacyAccessedAPICategoryFileTimestamp": ["C617.1"]])
    }

    /// Apple's APIs that need a reason, as the words by which Swift calls them.
    @Test func `no other API that needs a reason is used`() throws {
        let words = [
            "UserDefaults", "systemUptime", "mach_absolute_time", "volumeAvailableCapacity", "systemFreeSize",
            "systemSize", "statfs", "statvfs", "activeInputModes",
        ]
        let files = try FileManager.default.subpathsOfDirectory(atPath: kit.path).filter { $0.hasSuffix(".swift") }
        #expect(files.count > 30)
        for file in files {
            let text = try String(contentsOf: kit.appendingPathComponent(file), encoding: .utf8)
            for word in words { #expect(!text.contains(word), "\(file) uses \(word)") }
        }
    }
}
