public import Campaigns
public import Delivery

/// Content that apps fetch by its id (contract, section 5, `r`): uploaded by an operator or brought by a campaign.
public struct StoredContent: Sendable, Equatable {
    /// The app whose devices may fetch it.
    public var app: String
    /// The id that pushes carry.
    public var id: String
    /// The app's own word for what it does with the content; a campaign's content has the campaign's kind here.
    public var type: String
    /// The format of the bytes.
    public var contentType: ContentType
    /// The version of the bytes: a hash in hexadecimal.
    public var version: String
    /// The number of bytes: 1 to ``Campaigns/ContentType/bytesMax``, or up to a job's limit.
    public var byteCount: Int
    /// The owner, which decides who may fetch the content.
    public var owner: ContentAccess.Owner
    /// True if a campaign brought the content and takes it along when it is removed.
    public var isOfCampaign: Bool { owner != .operator }
    /// The instant when these bytes were stored.
    public var at: Timestamp
    /// The content itself; empty in lists.
    public var bytes: [UInt8]
}

/// Content that is about to be stored.
public struct NewContent: Sendable, Equatable {
    /// See ``StoredContent``.
    public var type: String
    /// See ``StoredContent``.
    public var contentType: ContentType
    /// See ``StoredContent``.
    public var version: String
    /// See ``StoredContent``.
    public var bytes: [UInt8]

    /// Content from checked bytes.
    public init(type: String, contentType: ContentType, version: String, bytes: [UInt8]) {
        self.type = type
        self.contentType = contentType
        self.version = version
        self.bytes = bytes
    }
}

/// The result of an upload.
public enum ContentResult: String, Sendable, Equatable, CaseIterable {
    /// The id was unused.
    case added
    /// Other content was there, and it is replaced.
    case replaced
    /// The same content was there already.
    case unchanged
    /// The id is a campaign's; nothing changed.
    case ofCampaign = "of_campaign"
}

/// The result of a removal.
public enum ContentRemoval: String, Sendable, Equatable, CaseIterable {
    /// The content was removed.
    case removed
    /// A campaign brought the content and takes it along when it is removed; nothing changed.
    case ofCampaign = "of_campaign"
    /// The id has no content.
    case missing
}
