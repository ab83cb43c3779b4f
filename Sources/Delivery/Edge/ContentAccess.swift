/// Decides who may fetch a content by its id; pure.
///
/// An id can be guessed, and often is a campaign's name. So a campaign's own content is for those who show the signed id
/// of one of its pushes, and for nobody before the first of them.
public enum ContentAccess {
    /// Whose a content is.
    public enum Owner: Hashable, Sendable {
        /// An operator's, who has uploaded it for all devices of the app.
        case `operator`
        /// A campaign's, by its number; `isReleased`: its first pushes are on their way.
        case campaign(UInt32, isReleased: Bool)
    }

    /// Whether a content opens for somebody.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - shown: The campaign of the signed id that was shown; nil without one, or when no key of the app signed it.
    public static func opens(_ owner: Owner, shown: UInt32?) -> Bool {
        switch owner {
        case .operator: true
        case .campaign(let number, let isReleased): isReleased && shown == number
        }
    }
}
