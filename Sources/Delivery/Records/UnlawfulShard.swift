public import Campaigns

/// A shard whose devices cannot be counted, because not all of them have outcomes or retry shards.
public struct UnlawfulShard: Error, Equatable, CustomStringConvertible {
    /// The shard's id.
    public var id: ShardID

    /// A text for people.
    public var description: String { "shard \(id) cannot be ended" }
}
