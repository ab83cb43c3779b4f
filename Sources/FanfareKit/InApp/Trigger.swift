import Foundation

/// What makes an in-app message appear.
///
/// A trigger fits an event of its kind, by the name that it gives, when all its filters hold for the event's properties.
public struct Trigger: Sendable, Hashable {
    /// The kind of event.
    public let kind: Kind
    /// The event's name, the product of a purchase, or the campaign of a push; nil fits all.
    public let name: String?
    /// All of them are to hold.
    public let filters: [PropertyFilter]

    /// Kinds of events.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case sessionStart = "session_start"
        case customEvent = "custom_event"
        case anyPurchase = "any_purchase"
        case specificPurchase = "specific_purchase"
        case pushClick = "push_click"
    }

    /// A trigger.
    ///
    ///     Trigger(.customEvent, name: "level_done", filters: [PropertyFilter("level", .greater, .number(3))])
    public init(_ kind: Kind, name: String? = nil, filters: [PropertyFilter] = []) {
        self.kind = kind
        self.name = name
        self.filters = filters
    }

    /// Whether an event sets it off.
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

/// Something that happened in the app and that messages may wait for.
///
///     fanfare.log(.custom("level_done", ["level": .number(4)]))
public struct AppEvent: Sendable, Hashable {
    /// What happened.
    public let kind: Kind
    /// What filters look at.
    public let properties: [String: JSON]

    /// What can happen.
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

    /// An event.
    ///
    ///     fanfare.log(AppEvent(.custom("goal"), ["minute": .number(90)]))
    public init(_ kind: Kind, _ properties: [String: JSON] = [:]) {
        self.kind = kind
        self.properties = properties
    }

    /// The app's own event.
    ///
    ///     fanfare.log(.custom("level_done"))
    public static func custom(_ name: String, _ properties: [String: JSON] = [:]) -> AppEvent {
        AppEvent(.custom(name), properties)
    }

    /// A purchase; price, currency and quantity become properties of these names.
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
