import Bench
import Campaigns
import Foundation
import Operations
import Transport

/// Made-up devices: the same ones in every run, so that two runs can be compared.
struct DemoDevices: Sendable {
    let count: Int
    /// The providers of the devices.
    let mix: DemoMix

    private static let pageBytes = 1 << 16

    /// Writes the devices as an audience file (contract, section 3), a page at a time.
    ///
    /// A browser's subscription names its push service, so those come from the simulator at `control`.
    func write(to path: String, control: HTTP1Client) async throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure(.failed, "the file \(path) cannot be written") }
        var page = Data("token,provider,id\n".utf8)
        var tokens = MadeUpTokens()
        var subscriptions = MadeUpSubscriptions(control: control)
        for number in 1...count {
            let kind = mix.kind(number)
            let token =
                switch kind {
                case .phone: tokens.apns()
                case .android: tokens.fcm()
                case .browser: try await subscriptions.next()
                }
            page.append(contentsOf: "\(token),\(kind.provider),device-\(number)\n".utf8)
            if page.count >= Self.pageBytes {
                try file.write(contentsOf: page)
                page.removeAll(keepingCapacity: true)
            }
        }
        try file.write(contentsOf: page)
        try file.close()
    }
}

/// The providers of a demo's audience.
enum DemoMix: Sendable {
    /// Apple's only.
    case apple
    /// Of twenty devices twelve Apple's, seven Androids and one browser, interleaved as in a real list.
    case mixed

    /// A device's kind, which decides its provider.
    enum Kind: Sendable {
        case phone
        case android
        case browser

        /// The provider in an audience file.
        var provider: String {
            switch self {
            case .phone: "apns"
            case .android: "fcm"
            case .browser: "webpush"
            }
        }
    }

    /// The kinds that occur.
    var kinds: [Kind] {
        switch self {
        case .apple: [.phone]
        case .mixed: [.phone, .android, .browser]
        }
    }

    /// The simulator's options for services besides Apple's.
    var options: [String] {
        switch self {
        case .apple: []
        case .mixed: ["--fcm", "--web-push"]
        }
    }

    /// Returns the kind of device `number`.
    func kind(_ number: Int) -> Kind {
        guard case .mixed = self else { return .phone }
        // 3 and 20 have no common divisor, so the kinds alternate, each in its proportion.
        return switch number * 3 % 20 {
        case 0..<12: .phone
        case 12..<19: .android
        default: .browser
        }
    }
}
