import Foundation
import Testing

@testable import FanfareKit

/// A phone with a manual clock, connected to a model of the edge.
final class PhoneRig {
    let peer: Peer
    let listener: RecordingListener
    /// The server for events, if it is a separate one.
    private let tracking: Peer?
    private let clock = HandClock()
    private let options: FanfareOptions
    private let systemFacts: SystemFacts?
    private(set) var phone: Phone

    /// Creates a phone in its own folder, which `remove` deletes; `start` is the clock's first time.
    init(
        _ peer: Peer = Peer(),
        listener: RecordingListener = RecordingListener(),
        tracking: Peer? = nil,
        systemFacts: SystemFacts? = nil,
        _ change: (inout FanfareOptions) -> Void = { _ in }
    ) throws {
        var options = FanfareOptions()
        options.folder = FileManager.default.temporaryDirectory.appendingPathComponent("phone-\(UUID().uuidString)")
        change(&options)
        (self.peer, self.listener, self.options, self.tracking, self.systemFacts) = (
            peer, listener, options, tracking, systemFacts
        )
        phone = try Self.phone(peer, listener, options, clock, tracking, systemFacts)
    }

    deinit { try? FileManager.default.removeItem(at: options.folder) }

    static let start = HandClock.start

    private static func phone(
        _ peer: Peer,
        _ listener: RecordingListener,
        _ options: FanfareOptions,
        _ clock: HandClock,
        _ tracking: Peer?,
        _ systemFacts: SystemFacts?
    ) throws -> Phone {
        var setting = Phone.Setting(
            integrationKey: Peer.key,
            options: options,
            assets: AssetStore(options.folder),
            names: KnownNames(options.folder, given: options.payloadNames)
        )
        setting.send = { try await peer.send($0) }
        if let tracking { setting.track = { try await tracking.send($0) } }
        if let systemFacts { setting.systemFacts = { systemFacts } }
        setting.now = { clock.now }
        setting.chance = { 0.5 }
        setting.wait = { _ in
            // The test drives the work; the phone waits until its clock is set.
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        }
        return try Phone(setting, listener: listener)
    }

    var now: Date { clock.now }
    var journal: URL { options.folder.appendingPathComponent("events.jsonl") }
    var folder: URL { options.folder }

    /// Registers the phone, with its app in front.
    func register() async throws {
        await phone.change { $0.token = token("ab") }
        await phone.settled()
        #expect(await phone.registrar.isRegistered)
        #expect(listener.heard() == ["registration registered"])
        _ = await peer.taken("", "")
    }

    /// Kills the app without notice and restarts it from disk.
    func kill(_ change: () throws -> Void = {}) async throws {
        try change()
        phone = try Self.phone(peer, listener, options, clock, tracking, systemFacts)
        await phone.start()
    }

    /// Lets time pass, in which the phone wakes up whenever it wants to.
    func pass(_ seconds: TimeInterval) async throws {
        let end = clock.now + seconds
        var turns = 0
        await phone.settled()
        while let wake = await phone.wakeAt, wake <= end {
            turns += 1
            try #require(turns < 10_000, "the phone runs in a circle")
            clock.now = max(clock.now, wake)
            await phone.pump()
            await phone.settled()
        }
        clock.now = end
        await phone.pump()
        await phone.settled()
    }
}

/// A clock that a test advances.
///
/// Safety: the instant is behind a lock.
final class HandClock: @unchecked Sendable {
    static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let lock = NSLock()
    private var instant = HandClock.start

    var now: Date {
        get { lock.withLock { instant } }
        set { lock.withLock { instant = newValue } }
    }
}

/// Returns a message id that the edge accepts, signed for a push of the campaign.
func signed(_ name: String, of campaign: String = "") -> String { EdgeRules.signed(name, of: campaign) }

/// Returns a token like APNs' with 64 digits.
func token(_ pair: String) -> String { String(repeating: pair, count: 32) }

/// Returns a push for tests.
func push(_ own: [String: Any], aps: [String: Any] = [:], _ variables: [String: Any] = [:]) throws -> PushMessage {
    var userInfo: [AnyHashable: Any] = variables
    var own = own
    if let name = own["m"] as? String { own["m"] = signed(name, of: own["c"] as? String ?? "") }
    userInfo["aps"] = aps
    userInfo["fanfare"] = own
    return try #require(PushMessage(userInfo))
}
