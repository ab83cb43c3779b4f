import NIOCore
import Synchronization

/// The intakes of all loops, created on first use; may be used from any thread.
final class TrackingIntakes: Sendable {
    private let core: EdgeCore
    private let intakes = Mutex<[ObjectIdentifier: NIOLoopBound<TrackingIntake>]>([:])

    init(_ core: EdgeCore) { self.core = core }

    /// Returns a loop's intake; must be called on that loop.
    func intake(on loop: any EventLoop) -> TrackingIntake {
        let bound = intakes.withLock { intakes in
            if let known = intakes[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(TrackingIntake(core, on: loop), eventLoop: loop)
            intakes[ObjectIdentifier(loop)] = made
            return made
        }
        return bound.value
    }
}
