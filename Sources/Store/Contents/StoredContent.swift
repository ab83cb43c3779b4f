public import Campaigns
public import Delivery

/// Content that apps fetch by its id (contract, section 5, `r`): what an operator has uploaded, or what a campaign brought.
public struct StoredContent: Sendable, Equatable {
    /// The app whose devices may fetch it.
    public var app: String
    /// The id that pushes carry.
    public var id: String
    /// What the app does with it, in its own words; of a campaign's content the kind.
    public var type: String
    /// How its bytes are to be read.
    public var contentType: ContentType
    /// Tells these bytes from others: a hash in hexadecimal.
    public var version: String
    /// Of these bytes; 1 to ``Campaigns/ContentType/bytesMax``, or what a job may be.
    public var byteCount: Int
    /// Whose it is, and so who may fetch it.
    public var owner: ContentAccess.Owner
    /// Whether a campaign brought it, with which it goes.
    public var isOfCampaign: Bool { owner != .operator }
    /// When these bytes were stored.
    public var at: Timestamp
    /// The content itself; empty in lists.
    public var bytes: [UInt8]
}

/// Content on its way into the ledger.
public struct NewContent: Sendable, Equatable {
    /// See ``StoredContent``.
    public var type: String
    /// See ``StoredContent``.
    public var contentType: ContentType
    /// See ``StoredContent``.
    public var version: String
    /// See ``StoredContent``.
    public var bytes: [UInt8]

    /// Bytes that were checked.
    public init(type: String, contentType: ContentType, version: String, bytes: [UInt8]) {
        self.type = type
        self.contentType = contentType
        self.version = version
        self.bytes = bytes
    }
}

/// What became of an upload.
public enum ContentResult: String, Sendable, Equatable, CaseIterable {
    /// There was none of that id.
    case added
    /// There was another one, and it is replaced.
    case replaced
    /// It was there already.
    case unchanged
    /// The id is a campaign's: left as it is.
    case ofCampaign = "of_campaign"
}

/// What became of a removal.
public enum ContentRemoval: String, Sendable, Equatable, CaseIterable {
    /// It is gone.
    case removed
    /// A campaign brought it, and it goes with the campaign: left as it is.
    case ofCampaign = "of_campaign"
    /// There is none.
    case missing
}
