/// The events of a campaign on phones: the number of devices per surface and type (design, section 12).
///
/// A device counts once in each number, however often it reports the event.
public struct Funnel: Hashable, Sendable {
    /// A kind of event to count.
    public struct Step: Hashable, Sendable {
        /// The surface.
        public var surface: TrackedSurface
        /// The type.
        public var type: TrackedType
        /// The button or the reason; empty for all of them together.
        public var detail: String

        /// Creates a step.
        public init(_ surface: TrackedSurface, _ type: TrackedType, _ detail: String = "") {
            (self.surface, self.type, self.detail) = (surface, type, detail)
        }
    }

    /// The number of devices by step.
    public var devices: [Step: Int]
    /// The number of devices that have answered the poll.
    public var answered: Int
    /// The number of devices by question and choice of the poll.
    public var choices: [String: [String: Int]]

    /// Creates a funnel; empty by default.
    public init(devices: [Step: Int] = [:], answered: Int = 0, choices: [String: [String: Int]] = [:]) {
        (self.devices, self.answered, self.choices) = (devices, answered, choices)
    }

    /// The number of devices that reported this event.
    public subscript(_ surface: TrackedSurface, _ type: TrackedType, _ detail: String = "") -> Int {
        devices[Step(surface, type, detail)] ?? 0
    }

    /// Returns the reported buttons or reasons, the most frequent first.
    public func details(_ surface: TrackedSurface, _ type: TrackedType) -> [(name: String, devices: Int)] {
        devices.filter { $0.key.surface == surface && $0.key.type == type && !$0.key.detail.isEmpty }
            .map { (name: $0.key.detail, devices: $0.value) }
            .sorted { $0.devices == $1.devices ? $0.name < $1.name : $0.devices > $1.devices }
    }

    /// The surfaces with events.
    public var surfaces: [TrackedSurface] {
        TrackedSurface.allCases.filter { surface in devices.contains { $0.key.surface == surface && $0.value > 0 } }
    }

    /// True if no phone has reported anything.
    public var isEmpty: Bool { surfaces.isEmpty && answered == 0 }
}
