import Foundation

/// A condition that makes an in-app message appear.
///
/// A trigger matches an event of its kind and name when all its filters hold for the event's properties.
public struct Trigger: Sendable, Hashable {
    /// The kind of event.
    public let kind: Kind
    /// The event's name, the product of a purchase, or the campaign of a push; nil matches all.
    public let name: String?
    /// The filters, which must all hold.
    public let filters: [PropertyFilter]

    /// The kinds of events.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case sessionStart = "session_start"
        case customEvent = "custom_event"
        case anyPurchase = "any_purchase"
        case specificPurchase = "specific_purchase"
        case pushClick = "push_click"
    }

    /// Creates a trigger.
    ///
    ///     Trigger(.customEvent, name: "level_done", filters: [PropertyFilter("level", .greater, .number(3))])
    public init(_ kind: Kind, name: String? = nil, filters: [PropertyFilter] = []) {
        self.kind = kind
        self.name = name
        self.filters = filters
    }

    /// Returns true if an event matches.
    func fits(_ event: AppEvent) -> Bool {
        let isItsKind =
            switch (kind, event.kind) {
            case (.sessionStart, .sessionStart), (.anyPurchase, .purchase): true
            case (.customEvent, .custom(let given)), (.pushClick, .pushClick(let given)): name == nil || name == given
            case (.specificPurchase, .purchase(let product)): name == product
            default: false
            }
        return isItsKind && filters.allSatisfy { $0.holds(event.properties[$0.property]) }
    }
}

/// An event in the app that may trigger messages.
///
///     fanfare.log(.custom("level_done", ["level": .number(4)]))
public struct AppEvent: Sendable, Hashable {
    /// The kind of event.
    public let kind: Kind
    /// The properties for filters.
    public let properties: [String: JSON]

    /// The kinds of events.
    public enum Kind: Sendable, Hashable {
        /// A session began.
        case sessionStart
        /// The app's own event, by name.
        case custom(String)
        /// Something was bought, by product.
        case purchase(String)
        /// A push was tapped, by campaign.
        case pushClick(String)
    }

    /// Creates an event.
    ///
    ///     fanfare.log(AppEvent(.custom("goal"), ["minute": .number(90)]))
    public init(_ kind: Kind, _ properties: [String: JSON] = [:]) {
        self.kind = kind
        self.properties = properties
    }

    /// Creates an event of the app's own.
    ///
    ///     fanfare.log(.custom("level_done"))
    public static func custom(_ name: String, _ properties: [String: JSON] = [:]) -> AppEvent {
        AppEvent(.custom(name), properties)
    }

    /// Creates a purchase; price, currency and quantity become properties of these names.
    ///
    ///     fanfare.log(.purchase("season_pass", price: 9.99, currency: "EUR"))
    public static func purchase(
        _ product: String,
        price: Double,
        currency: String,
        quantity: Int = 1,
        _ properties: [String: JSON] = [:]
    ) -> AppEvent {
        var all = properties
        all["price"] = .number(price)
        all["currency"] = .string(currency)
        all["quantity"] = .number(Double(quantity))
        return AppEvent(.purchase(product), all)
    }
}
