import Foundation
import Testing

@testable import FanfareKit

/// The messages that an event triggers.
@Suite struct TriggerTests {
    private let purchase = AppEvent.purchase("pass", price: 9.5, currency: "EUR", ["team": .string("atleti")])

    @Test func `each kind of trigger fits its kind of event, by name where it has one`() {
        let events: [AppEvent] = [
            AppEvent(.sessionStart), .custom("goal"), .custom("foul"), purchase,
            .purchase("ball", price: 1, currency: "EUR"),
            AppEvent(.pushClick("derby")), AppEvent(.pushClick("cup")),
        ]
        func fitting(_ trigger: Trigger) -> [Int] { events.indices.filter { trigger.fits(events[$0]) } }
        #expect(fitting(Trigger(.sessionStart)) == [0])
        #expect(fitting(Trigger(.customEvent, name: "goal")) == [1])
        #expect(fitting(Trigger(.anyPurchase)) == [3, 4])
        #expect(fitting(Trigger(.specificPurchase, name: "pass")) == [3])
        #expect(fitting(Trigger(.pushClick)) == [5, 6])
        #expect(fitting(Trigger(.pushClick, name: "derby")) == [5])
    }

    @Test func `all filters are to hold`() {
        func fits(_ filters: PropertyFilter...) -> Bool { Trigger(.anyPurchase, filters: filters).fits(purchase) }
        #expect(fits(PropertyFilter("price", .greater, .number(9)), PropertyFilter("team", .equal, .string("atleti"))))
        #expect(!fits(PropertyFilter("price", .greater, .number(9)), PropertyFilter("team", .equal, .string("real"))))
    }

    @Test(arguments: [
        (PropertyFilter("p", .equal, .number(1)), JSON.number(1), true),
        (PropertyFilter("p", .equal, .number(1)), .string("1"), false),
        (PropertyFilter("p", .equal, .number(1)), nil, false),
        (PropertyFilter("p", .not, .number(1)), .number(2), true),
        (PropertyFilter("p", .not, .number(1)), nil, false),
        (PropertyFilter("p", .greater, .number(1)), .number(1), false),
        (PropertyFilter("p", .greater, .number(1)), .number(1.5), true),
        (PropertyFilter("p", .greater, .string("a")), .string("b"), false),
        (PropertyFilter("p", .greater, .number(1)), .string("2"), false),
        (PropertyFilter("p", .greater, .number(1)), nil, false),
        (PropertyFilter("p", .less, .number(1)), .number(0), true),
        (PropertyFilter("p", .less, .number(1)), nil, false),
        (PropertyFilter("p", .regex, .string("^at")), .string("atleti"), true),
        (PropertyFilter("p", .regex, .string("^at")), .string("real"), false),
        (PropertyFilter("p", .regex, .string("(")), .string("("), false),
        (PropertyFilter("p", .regex, .string("1")), .number(1), false),
        (PropertyFilter("p", .exists), .bool(false), true),
        (PropertyFilter("p", .exists), .null, false),
        (PropertyFilter("p", .exists), nil, false),
        (PropertyFilter("p", .exists, .bool(false)), nil, true),
    ])
    func `a filter compares values of one type`(filter: PropertyFilter, value: JSON?, holds: Bool) {
        #expect(filter.holds(value) == holds)
    }
}
