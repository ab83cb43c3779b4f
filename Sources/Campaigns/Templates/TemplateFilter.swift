/// A filter, which follows `|`.
enum TemplateFilter: UInt8, Sendable, CaseIterable {
    case `default`
    case upcase
    case downcase
    case capitalize
    case truncate
    case escape
    case plus
    case minus
    case times
    case dividedBy
    case modulo
    case round
    case ceil
    case floor
    case abs
    case atLeast
    case atMost
    case date

    /// The name in Liquid.
    var name: String {
        switch self {
        case .dividedBy: "divided_by"
        case .atLeast: "at_least"
        case .atMost: "at_most"
        default: "\(self)"
        }
    }

    /// The permitted number of arguments.
    var arguments: ClosedRange<Int> {
        switch self {
        case .default, .plus, .minus, .times, .dividedBy, .modulo, .atLeast, .atMost, .date: 1...1
        case .truncate: 0...2
        case .round: 0...1
        case .upcase, .downcase, .capitalize, .escape, .ceil, .floor, .abs: 0...0
        }
    }

    /// An example for a problem's fix.
    var example: String {
        switch self {
        case .default: "default: \"there\""
        case .truncate: "truncate: 20"
        case .round: "round: 2"
        case .date: "date: \"%d.%m.%Y\""
        case _ where arguments.upperBound > 0: "\(name): 2"
        default: name
        }
    }

    static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
