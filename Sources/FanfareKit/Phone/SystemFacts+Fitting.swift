import Foundation

extension SystemFacts {
    /// The facts without the values that the server does not accept, because one wrong field fails a registration.
    var fitting: SystemFacts {
        SystemFacts(
            locale: locale.flatMap { Self.isLocale($0) ? $0 : nil },
            timeZone: timeZone.flatMap { Self.isTimeZone($0) ? $0 : nil },
            appVersion: appVersion.flatMap { Self.isVersion($0) ? $0 : nil }
        )
    }

    /// Returns true for a language with optional subtags after hyphens (BCP 47); `C` and an empty text are none.
    private static func isLocale(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
    }

    /// Returns true for a name of the tz database, such as `Etc/GMT+3`.
    private static func isTimeZone(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[A-Za-z][A-Za-z0-9_/+-]*")
    }

    /// Returns true for numbers separated by points, with an optional suffix after a hyphen, plus, space or
    /// parenthesis.
    private static func isVersion(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[vV]?[0-9]+(\\.[0-9]+)*([-+ (].*)?")
    }
}

extension String {
    fileprivate func wholeMatch(_ pattern: String) -> Bool {
        range(of: "^(?:\(pattern))$", options: .regularExpression) == startIndex..<endIndex
    }
}
