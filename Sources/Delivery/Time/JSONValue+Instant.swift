import Campaigns

extension JSONValue {
    /// Returns a member that is an instant; nil if it is none.
    func instant(_ name: String) -> Timestamp? {
        self[name]?.string.flatMap { try? Timestamp(rfc3339: $0) }
    }
}
