/// The state of an upload.
public enum UploadStanding: Sendable, Equatable {
    /// The list is being written. Can transition to `complete` and `gone`.
    case underWay
    /// The list is there.
    case complete
    /// The upload was abandoned, nobody went on with it for an hour, or its list was removed; or there never was one.
    case gone
}

/// The waiting of a campaign for an upload that is under way.
///
/// Pure. A campaign is bound to the upload's id: another version of the list, older or newer, is never sent to in its
/// place.
public enum UploadWait: Sendable, Equatable {
    /// Wait on; the campaign sends nothing.
    case wait
    /// Give the campaign the list that the upload is.
    case bind
    /// End the campaign as failed: its audience will never be there.
    case fail
    /// Forget the waiting: the campaign has ended otherwise.
    case drop

    /// Decides about a campaign; `isOver` is true if it was cancelled, has expired, or was superseded.
    public static func decide(_ standing: UploadStanding, isOver: Bool) -> UploadWait {
        if isOver { return .drop }
        return switch standing {
        case .underWay: .wait
        case .complete: .bind
        case .gone: .fail
        }
    }

    /// The reason of a campaign that failed because its upload is gone.
    public static func failure(upload: String) -> String {
        "the upload \(upload) was abandoned before it was complete: upload the list again, then send a new job"
    }
}

/// A place in an upload: the chunks up to it, and the hash of all of them.
public struct UploadMark: Sendable, Equatable {
    /// The number of chunks.
    public var chunks: UInt32
    /// The hash of these chunks, in their order.
    public var digest: [UInt8]

    /// A place.
    public init(chunks: UInt32, digest: [UInt8]) {
        (self.chunks, self.digest) = (chunks, digest)
    }
}

/// The way through chunks that the ledger may have already (contract: what a client repeats is idempotent).
///
/// Pure. A client that was cut makes the same chunks again from the same file; those up to the ledger's mark are not
/// written again, and their hash shows that the file is the same.
public struct UploadResumption: Sendable, Equatable {
    /// The mark of the ledger, as of the beginning or the last write.
    public private(set) var mark: UploadMark

    /// The handling of a chunk.
    public enum Step: Sendable, Equatable {
        /// The ledger has it.
        case skip
        /// Write it.
        case write
        /// The ledger has others: another file has this upload's id.
        case differs
    }

    /// Begins at what the ledger has.
    public init(mark: UploadMark) {
        self.mark = mark
    }

    /// Returns the handling of the next chunk; `place` is the place behind it.
    public func next(_ place: UploadMark) -> Step {
        if place.chunks > mark.chunks { return .write }
        return place.chunks == mark.chunks && place.digest != mark.digest ? .differs : .skip
    }

    /// Moves the mark behind chunks that were written.
    public mutating func wrote(upTo place: UploadMark) { mark = place }

    /// Returns true if the end of the file is where the ledger is.
    public func isEnd(_ place: UploadMark) -> Bool { place == mark }
}
