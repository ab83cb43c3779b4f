/// Decides who may fetch a content by its id; pure.
///
/// An id can be guessed, and often is a campaign's name. So a campaign's own content is only for clients that show the
/// signed id of one of its pushes, and for nobody before the first push.
public enum ContentAccess {
    /// The owner of a content.
    public enum Owner: Hashable, Sendable {
        /// An operator, who has uploaded it for all devices of the app.
        case `operator`
        /// A campaign, by its number; `isReleased`: its first pushes are on their way.
        case campaign(UInt32, isReleased: Bool)
    }

    /// Returns true if a client may fetch a content.
    ///
    /// - Parameters:
    ///   - owner: The content's owner.
    ///   - shown: The campaign of the signed id that was shown; nil without one, or if no key of the app signed it.
    public static func opens(_ owner: Owner, shown: UInt32?) -> Bool {
        switch owner {
        case .operator: true
        case .campaign(let number, let isReleased): isReleased && shown == number
        }
    }
}
