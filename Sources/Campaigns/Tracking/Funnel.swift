/// What became of a campaign on the phones: how many devices said what, per surface (design, section 12).
///
/// A device is counted once in each figure, however often it said so.
public struct Funnel: Hashable, Sendable {
    /// What is counted.
    public struct Step: Hashable, Sendable {
        /// Where.
        public var surface: TrackedSurface
        /// What.
        public var type: TrackedType
        /// The button or the reason; empty for all of them together.
        public var detail: String

        /// A step.
        public init(_ surface: TrackedSurface, _ type: TrackedType, _ detail: String = "") {
            (self.surface, self.type, self.detail) = (surface, type, detail)
        }
    }

    /// Devices by step.
    public var devices: [Step: Int]
    /// Devices that have answered the poll.
    public var answered: Int
    /// Devices by question and choice of the poll.
    public var choices: [String: [String: Int]]

    /// A funnel; nothing has happened unless said otherwise.
    public init(devices: [Step: Int] = [:], answered: Int = 0, choices: [String: [String: Int]] = [:]) {
        (self.devices, self.answered, self.choices) = (devices, answered, choices)
    }

    /// Devices that said this.
    public subscript(_ surface: TrackedSurface, _ type: TrackedType, _ detail: String = "") -> Int {
        devices[Step(surface, type, detail)] ?? 0
    }

    /// The buttons or reasons that were named, the most frequent first.
    public func details(_ surface: TrackedSurface, _ type: TrackedType) -> [(name: String, devices: Int)] {
        devices.filter { $0.key.surface == surface && $0.key.type == type && !$0.key.detail.isEmpty }
            .map { (name: $0.key.detail, devices: $0.value) }
            .sorted { $0.devices == $1.devices ? $0.name < $1.name : $0.devices > $1.devices }
    }

    /// Surfaces on which something has happened.
    public var surfaces: [TrackedSurface] {
        TrackedSurface.allCases.filter { surface in devices.contains { $0.key.surface == surface && $0.value > 0 } }
    }

    /// Whether nothing has come from any phone.
    public var isEmpty: Bool { surfaces.isEmpty && answered == 0 }
}
