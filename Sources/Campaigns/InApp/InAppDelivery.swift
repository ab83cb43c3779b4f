/// The conditions and the frequency of an in-app message's display: `delivery.in_app`.
public struct InAppDelivery: Sendable, Equatable {
    /// The events that make the app show it; 1 to 16.
    public var triggers: [InAppTrigger]
    /// The rank among messages that one event triggers: the highest is shown; −1,000 … 1,000.
    public var priority = 0
    /// The beginning of delivery; nil: at once.
    public var startsAt: Timestamp?
    /// The end of delivery; nil: until it is cancelled.
    public var endsAt: Timestamp?
    /// Seconds between the trigger and the display, 0 … 86,400; nil means none.
    public var delay: JSONNumber?
    /// Seconds after the trigger from which it is no longer shown, 0 … 86,400; nil: no limit.
    public var timeout: JSONNumber?
    /// Seconds after a display from which the device is eligible again, 0 … 31,536,000; nil: never again.
    public var repeatAfter: Int?

    /// The limits of the job.
    static let (triggersMax, filtersMax, priorityMax) = (16, 16, Int64(1000))
    static let (secondsMax, repeatAfterMax) = (86_400, Int64(31_536_000))

    /// Creates a delivery with its triggers.
    public init(triggers: [InAppTrigger]) {
        self.triggers = triggers
    }
}

/// An event in the app that shows a message.
public struct InAppTrigger: Sendable, Equatable {
    /// The kind of an event.
    public enum Event: String, Sendable, CaseIterable {
        /// The app is opened, or comes back.
        case sessionStart = "session_start"
        /// The app reports an event of its own.
        case customEvent = "custom_event"
        /// Anything was bought.
        case anyPurchase = "any_purchase"
        /// One product was bought.
        case specificPurchase = "specific_purchase"
        /// A push was opened.
        case pushClick = "push_click"

        /// True if it has properties that filters can test.
        public var hasProperties: Bool {
            switch self {
            case .customEvent, .anyPurchase, .specificPurchase: true
            case .sessionStart, .pushClick: false
            }
        }

        /// The meaning of `name`; nil if the event has none.
        var nameMeans: String? {
            switch self {
            case .customEvent: "the event's name"
            case .specificPurchase: "the product's id"
            case .pushClick: "the id of the campaign that was opened"
            case .sessionStart, .anyPurchase: nil
            }
        }

        /// True if it requires a name.
        var needsName: Bool { self == .customEvent || self == .specificPurchase }
    }

    /// The kind of the event.
    public var event: Event
    /// The event's name, the product's id, or the campaign that was opened (nil: any); at most 256 bytes.
    public var name: String?
    /// The conditions on the event's properties, all of which must hold; at most 16.
    public var filters: [InAppFilter]

    /// Creates a trigger.
    public init(_ event: Event, name: String? = nil, filters: [InAppFilter] = []) {
        self.event = event
        self.name = name
        self.filters = filters
    }
}

/// A condition on a property of an event.
public struct InAppFilter: Sendable, Equatable {
    /// The operator of a condition.
    public enum Comparison: String, Sendable, CaseIterable {
        /// The property has this value, of the same type.
        case equal
        /// The property exists and has another value.
        case not
        /// The property is a number above the value.
        case greater
        /// The property is a number below the value.
        case less
        /// The property is a text that the regular expression matches somewhere.
        case regex
        /// The property exists or, with `false`, does not.
        case exists
    }

    /// The property's name; at most 128 bytes.
    public var property: String
    /// The operator.
    public var comparison: Comparison
    /// The operand.
    public var value: JSONValue

    /// Creates a condition.
    public init(_ property: String, _ comparison: Comparison, _ value: JSONValue) {
        self.property = property
        self.comparison = comparison
        self.value = value
    }
}
