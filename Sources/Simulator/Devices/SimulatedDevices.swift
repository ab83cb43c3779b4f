import Synchronization

/// The devices of one provider that somebody watches; the millions of others cost nothing.
///
/// Shared by all connections.
final class SimulatedDevices: Sendable {
    private let policy: DeviceInbox.Policy
    private let inboxes = Mutex<[DeviceTokenKey: DeviceInbox]>([:])
    /// How many are watched, so that nobody takes the lock when there is none.
    private let watched = Atomic<Int>(0)

    init(_ policy: DeviceInbox.Policy) {
        self.policy = policy
    }

    /// Whether somebody watches a device.
    func watches(_ key: DeviceTokenKey) -> Bool {
        watched.load(ordering: .acquiring) > 0 && inboxes.withLock { $0[key] != nil }
    }

    /// A message was accepted; `message` is made only for a device that is watched.
    func receive(_ key: DeviceTokenKey, now: Int64, _ message: () -> PushedMessage) {
        guard watched.load(ordering: .acquiring) > 0 else { return }
        inboxes.withLock { inboxes in
            guard inboxes[key] != nil else { return }
            inboxes[key]?.receive(message(), now: now)
        }
    }

    /// Watches a device from now on, if it was not before, and puts it online or offline.
    func set(_ key: DeviceTokenKey, isOnline: Bool, now: Int64) {
        inboxes.withLock { inboxes in
            inboxes[key, default: DeviceInbox(policy, now: now)].setOnline(isOnline, now: now)
            watched.store(inboxes.count, ordering: .releasing)
        }
    }

    /// What the device shows now; nil for one that is not watched.
    func inbox(of key: DeviceTokenKey, now: Int64) -> DeviceInbox? {
        inboxes.withLock { inboxes in
            inboxes[key]?.advance(to: now)
            return inboxes[key]
        }
    }

    /// What came to a device since the last time; nil for one that is not watched.
    func takeArrived(_ key: DeviceTokenKey, now: Int64) -> [DeviceInbox.Delivered]? {
        inboxes.withLock { $0[key]?.takeArrived(now: now) }
    }

    /// Forgets all devices.
    func reset() {
        inboxes.withLock { inboxes in
            inboxes = [:]
            watched.store(0, ordering: .releasing)
        }
    }
}
