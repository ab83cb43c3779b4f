import Synchronization

/// The watched devices of one provider; the millions of others cost nothing.
///
/// Shared by all connections.
final class SimulatedDevices: Sendable {
    private let policy: DeviceInbox.Policy
    private let inboxes = Mutex<[DeviceTokenKey: DeviceInbox]>([:])
    /// The number of watched devices, so that the lock is not taken when there is none.
    private let watched = Atomic<Int>(0)

    init(_ policy: DeviceInbox.Policy) {
        self.policy = policy
    }

    /// Returns true if a device is watched.
    func watches(_ key: DeviceTokenKey) -> Bool {
        watched.load(ordering: .acquiring) > 0 && inboxes.withLock { $0[key] != nil }
    }

    /// Delivers an accepted message; `message` is called only for a watched device.
    func receive(_ key: DeviceTokenKey, now: Int64, _ message: () -> PushedMessage) {
        guard watched.load(ordering: .acquiring) > 0 else { return }
        inboxes.withLock { inboxes in
            guard inboxes[key] != nil else { return }
            inboxes[key]?.receive(message(), now: now)
        }
    }

    /// Watches a device from now on, if it was not watched before, and puts it online or offline.
    func set(_ key: DeviceTokenKey, isOnline: Bool, now: Int64) {
        inboxes.withLock { inboxes in
            inboxes[key, default: DeviceInbox(policy, now: now)].setOnline(isOnline, now: now)
            watched.store(inboxes.count, ordering: .releasing)
        }
    }

    /// Returns the device's current inbox; nil if it is not watched.
    func inbox(of key: DeviceTokenKey, now: Int64) -> DeviceInbox? {
        inboxes.withLock { inboxes in
            inboxes[key]?.advance(to: now)
            return inboxes[key]
        }
    }

    /// Returns the messages that arrived at a device since the last call; nil if it is not watched.
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
