/// The reason why bytes are not a shard that this version can send; such a message is parked with this text.
public enum ShardError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes contradict themselves or are not a protocol buffer.
    case malformed(String)
    /// This worker does not know the shard's major version.
    case unknownVersion(UInt32)

    /// The problem in words for people.
    public var description: String {
        switch self {
        case .malformed(let what): "malformed shard: \(what)"
        case .unknownVersion(let version): "shard of version \(version); this worker knows \(Shard.version)"
        }
    }

    /// The stable reason under which such a message is parked.
    public var reason: String {
        switch self {
        case .malformed: "MalformedShard"
        case .unknownVersion: "UnknownVersion"
        }
    }

    /// Runs a step of the protocol buffer library, whose errors do not help a person.
    static func unwrap<Value>(_ body: () throws -> Value) throws(ShardError) -> Value {
        do { return try body() } catch { throw .malformed("not a protocol buffer of this kind") }
    }
}
