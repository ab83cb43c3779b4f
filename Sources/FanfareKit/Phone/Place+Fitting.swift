import Foundation

extension Place {
    /// The part of it that the server takes: a registration with one wrong field is refused, and systems and apps may say more.
    var fitting: Place {
        Place(
            locale: locale.flatMap { Self.isLocale($0) ? $0 : nil },
            timeZone: timeZone.flatMap { Self.isTimeZone($0) ? $0 : nil },
            appVersion: appVersion.flatMap { Self.isVersion($0) ? $0 : nil }
        )
    }

    /// A language and what follows it with hyphens (BCP 47), which `C` and an empty text are not.
    private static func isLocale(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
    }

    /// A name of the tz database, such as `Etc/GMT+3`.
    private static func isTimeZone(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[A-Za-z][A-Za-z0-9_/+-]*")
    }

    /// Numbers with points between, and what follows them with a hyphen, a plus, a space or a parenthesis.
    private static func isVersion(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch("[vV]?[0-9]+(\\.[0-9]+)*([-+ (].*)?")
    }
}

extension String {
    fileprivate func wholeMatch(_ pattern: String) -> Bool {
        range(of: "^(?:\(pattern))$", options: .regularExpression) == startIndex..<endIndex
    }
}
