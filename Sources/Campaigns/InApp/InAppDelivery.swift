/// When an in-app message is shown, and how often: `delivery.in_app`.
public struct InAppDelivery: Sendable, Equatable {
    /// What makes the app show it; 1 to 16.
    public var triggers: [InAppTrigger]
    /// Of several messages that one event triggers the highest is shown; −1,000 … 1,000.
    public var priority = 0
    /// Not delivered before; nil: at once.
    public var startsAt: Timestamp?
    /// Not delivered from then on; nil: until it is cancelled.
    public var endsAt: Timestamp?
    /// Seconds between the trigger and the display, 0 … 86,400; nil is none.
    public var delay: JSONNumber?
    /// Seconds after the trigger from which it is not shown any more, 0 … 86,400; nil: it may wait.
    public var timeout: JSONNumber?
    /// Seconds after a display from which the device is eligible again, 0 … 31,536,000; nil: never again.
    public var repeatAfter: Int?

    /// Bounds of the job.
    static let (triggersMax, filtersMax, priorityMax) = (16, 16, Int64(1000))
    static let (secondsMax, repeatAfterMax) = (86_400, Int64(31_536_000))

    /// A delivery with its triggers.
    public init(triggers: [InAppTrigger]) {
        self.triggers = triggers
    }
}

/// An event of the app that shows a message.
public struct InAppTrigger: Sendable, Equatable {
    /// What happens.
    public enum Event: String, Sendable, CaseIterable {
        /// The app is opened, or comes back.
        case sessionStart = "session_start"
        /// The app says that something of its own has happened.
        case customEvent = "custom_event"
        /// Anything was bought.
        case anyPurchase = "any_purchase"
        /// One product was bought.
        case specificPurchase = "specific_purchase"
        /// A push was opened.
        case pushClick = "push_click"

        /// Whether it has properties that filters can look at.
        public var hasProperties: Bool {
            switch self {
            case .customEvent, .anyPurchase, .specificPurchase: true
            case .sessionStart, .pushClick: false
            }
        }

        /// What `name` is; nil when the event has none.
        var nameMeans: String? {
            switch self {
            case .customEvent: "the event's name"
            case .specificPurchase: "the product's id"
            case .pushClick: "the id of the campaign that was opened"
            case .sessionStart, .anyPurchase: nil
            }
        }

        /// Whether it means nothing without its name.
        var needsName: Bool { self == .customEvent || self == .specificPurchase }
    }

    /// What happens.
    public var event: Event
    /// The event's name, the product's id, or the campaign that was opened (nil: any); at most 256 bytes.
    public var name: String?
    /// All of them hold for the event's properties; at most 16.
    public var filters: [InAppFilter]

    /// A trigger.
    public init(_ event: Event, name: String? = nil, filters: [InAppFilter] = []) {
        self.event = event
        self.name = name
        self.filters = filters
    }
}

/// A condition on a property of an event.
public struct InAppFilter: Sendable, Equatable {
    /// How the property is compared.
    public enum Comparison: String, Sendable, CaseIterable {
        /// It has the value, and its type.
        case equal
        /// It is there and has another value.
        case not
        /// It is a number above the value.
        case greater
        /// It is a number below the value.
        case less
        /// It is a text in which the expression is found.
        case regex
        /// It is there, or with `false` it is not.
        case exists
    }

    /// The property's name; at most 128 bytes.
    public var property: String
    /// How it is compared.
    public var comparison: Comparison
    /// What with.
    public var value: JSONValue

    /// A condition.
    public init(_ property: String, _ comparison: Comparison, _ value: JSONValue) {
        self.property = property
        self.comparison = comparison
        self.value = value
    }
}
